//! Network files: reading, and errors of invalid files.

use super::*;

#[test]
fn architecture_hashes_are_stable() {
    // Every network file contains the hash.
    let hashes = architectures().map(Architecture::hash);
    let known = [0x88ad_d2b1, 0x9dfd_720e, 0xab00_9331, 0x4fff_3508];
    assert_eq!(hashes, known);
}

#[test]
fn large_output_weights_are_refused() {
    let network = random_network(architectures()[0], 1);
    for weight in [128, -128, i16::MIN] {
        let mut parameters = network.parameters();
        parameters.output_weights[5] = weight;
        let made = Network::new(network.architecture, 400, String::new(), &parameters);
        assert_eq!(
            made.err(),
            Some(NetworkError::OutputWeight(weight)),
            "{weight}"
        );
    }
}

#[test]
fn files_round_trip_and_damaged_ones_are_refused() {
    let network = random_network(architectures()[1], 3);
    let bytes = network.to_bytes();
    assert_eq!(Network::from_bytes(&bytes), Ok(network));
    assert_eq!(Network::from_bytes(b""), Err(NetworkError::Foreign));
    assert_eq!(
        Network::from_bytes(b"Some other format, and long enough"),
        Err(NetworkError::Foreign)
    );
    for length in [8, 26, 29, 30, 100, bytes.len() - 1] {
        let cut = Network::from_bytes(&bytes[..length]);
        assert!(
            matches!(cut, Err(NetworkError::Length { .. })),
            "{length}: {cut:?}"
        );
    }
    // Damage anywhere in the file, including the header, is reported as damage.
    for at in (8..40).chain([bytes.len() / 2, bytes.len() - 1]) {
        for bit in [1, 0x40] {
            let mut bytes = bytes.clone();
            bytes[at] ^= bit;
            let damaged = Network::from_bytes(&bytes);
            let is_cut = matches!(&damaged, Err(NetworkError::Length { expected, actual }) if expected > actual);
            assert!(
                is_cut || damaged == Err(NetworkError::Checksum),
                "{at}: {damaged:?}"
            );
        }
    }
}

#[test]
fn valid_files_of_other_kinds_are_reported() {
    let bytes = random_network(architectures()[1], 3).to_bytes();
    let changed = |at: usize, value: u8| {
        let mut bytes = bytes[..bytes.len() - 4].to_vec();
        bytes[at] = value;
        bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
        Network::from_bytes(&bytes)
            .expect_err("another kind")
            .to_string()
    };
    for (at, value, message) in [
        (8, 2, "format version 2"),
        (12, 9, "other inputs or units"),
        (16, 33, "width 33, 4 input buckets and 8 output buckets"),
        (18, 2, "width 96, 2 input buckets and 8 output buckets"),
        (19, 7, "7 output buckets"),
        (23, 0x80, "the scale is -2147483248"),
        (24, 7, "it is truncated or damaged"),
        (bytes.len() - 40, 0x80, "an output weight is "),
    ] {
        assert!(
            changed(at, value).contains(message),
            "{at}: {}",
            changed(at, value)
        );
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo").success());
    let error = Network::open(&path).expect_err("a pipe").to_string();
    assert_eq!(error, "not a regular file");
    let endless = Network::open(std::path::Path::new("/dev/zero"));
    let error = endless.expect_err("a device").to_string();
    assert!(
        error.starts_with("the file is longer than the limit of 64 MB"),
        "{error}"
    );
}
