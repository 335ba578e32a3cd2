//! The `chuhe` command.

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let d: u32 = a[1].parse().unwrap();
    let mut p = chuhe::notation::fen::parse_position(&a[2]).unwrap();
    let t = std::time::Instant::now();
    let n = chuhe::movegen::perft(&mut p, d);
    println!(
        "nodes {n} {:?} {} Mnps",
        t.elapsed(),
        n as f64 / t.elapsed().as_secs_f64() / 1e6
    );
}
