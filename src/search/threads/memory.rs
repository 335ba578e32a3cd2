//! How much memory there is: what the machine has free, what the control group leaves, what the process
//! can still get.

use std::fs;
use std::path::{Path, PathBuf};

/// Where Linux shows the control groups.
const CGROUP_ROOT: &str = "/sys/fs/cgroup";
/// Where Linux tells which control groups the process is in.
const OWN_CGROUPS: &str = "/proc/self/cgroup";

/// Where Linux shows the limits of the process.
const OWN_LIMITS: &str = "/proc/self/limits";
/// Where Linux tells what the process uses.
const OWN_STATUS: &str = "/proc/self/status";

/// Whether the process can get so many bytes at one time. Nothing stays allocated.
///
/// Most allocations end the program when they fail; an undertaking whose need is known beforehand asks
/// here first.
pub(super) fn has_room(bytes: usize) -> bool {
    // An allocator can serve a request from what it holds for one thread, which helps no stack or table.
    if address_space_left().is_some_and(|left| left < bytes as u64) {
        return false;
    }
    let mut room = Vec::<u8>::new();
    let reserved = room.try_reserve_exact(bytes).is_ok();
    // Without this the compiler may leave the allocation out.
    std::hint::black_box(&mut room);
    reserved
}

/// The bytes that the limit of the address space (`ulimit -v`) leaves, `None` where there is no limit.
fn address_space_left() -> Option<u64> {
    let limits = fs::read_to_string(OWN_LIMITS).ok()?;
    let limit = soft_limit(&limits)?;
    let status = fs::read_to_string(OWN_STATUS).ok()?;
    Some(limit.saturating_sub(virtual_size(&status)?))
}

/// The soft limit of the address space in bytes, from the text of `/proc/self/limits`; `None` for
/// `unlimited`.
fn soft_limit(limits: &str) -> Option<u64> {
    let mut rows = limits.lines();
    let row = rows.find_map(|line| line.strip_prefix("Max address space"))?;
    row.split_whitespace().next()?.parse().ok()
}

/// The address space in use in bytes, from the text of `/proc/self/status`.
fn virtual_size(status: &str) -> Option<u64> {
    let mut rows = status.lines();
    let row = rows.find_map(|line| line.strip_prefix("VmSize:"))?;
    let kilobytes: u64 = row.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// Memory that is free for the process, in MB: what the machine has, or what the limits of its control
/// groups leave, whichever is less.
pub fn free_megabytes() -> usize {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let groups = fs::read_to_string(OWN_CGROUPS).unwrap_or_default();
    let limited = cgroup_free(Path::new(CGROUP_ROOT), &groups).unwrap_or(u64::MAX);
    (system.available_memory().min(limited) >> 20) as usize
}

/// The bytes that the limits of the control groups leave, `None` where there is no limit. `groups` is the
/// text of `/proc/self/cgroup`: `0::PATH` for version 2, `N:memory:PATH` for the memory of version 1. The
/// limits of all groups above count as well.
fn cgroup_free(root: &Path, groups: &str) -> Option<u64> {
    let of_line = |line: &str| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let path = path.trim_start_matches('/');
        let is_memory = controllers.split(',').any(|name| name == "memory");
        let (top, files) = match controllers {
            "" => (root.to_path_buf(), &VERSION_2),
            _ if is_memory => (root.join("memory"), &VERSION_1),
            _ => return None,
        };
        // In a container the path is that of the host, and its own group is the root.
        let groups = top.join(path);
        let ancestors = groups.ancestors().map(Path::to_path_buf);
        let inside: Vec<PathBuf> = ancestors.take_while(|dir| dir.starts_with(&top)).collect();
        inside.iter().filter_map(|dir| files.free(dir)).min()
    };
    groups.lines().filter_map(of_line).min()
}

/// The names of the files of a memory control group.
struct GroupFiles {
    limit: &'static str,
    used: &'static str,
    /// What of the use is cached files, which give way, in `memory.stat`.
    reclaimable: &'static str,
}

const VERSION_2: GroupFiles = GroupFiles {
    limit: "memory.max",
    used: "memory.current",
    reclaimable: "inactive_file",
};
const VERSION_1: GroupFiles = GroupFiles {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    reclaimable: "total_inactive_file",
};

impl GroupFiles {
    /// The bytes that a group leaves, `None` where it has no limit (the text `max`, or no such file).
    fn free(&self, group: &Path) -> Option<u64> {
        let read = |name: &str| fs::read_to_string(group.join(name)).ok();
        let limit: u64 = read(self.limit)?.trim().parse().ok()?;
        let used: u64 = read(self.used)?.trim().parse().ok()?;
        let stat = read("memory.stat").unwrap_or_default();
        let mut fields = stat.lines().filter_map(|line| line.split_once(' '));
        let reclaimable = fields.find(|(name, _)| *name == self.reclaimable);
        let reclaimable: u64 = reclaimable
            .and_then(|(_, bytes)| bytes.trim().parse().ok())
            .unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(reclaimable)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEGABYTE: u64 = 1 << 20;

    /// A directory with control groups that goes when it is dropped.
    struct Groups(tempfile::TempDir);

    impl Groups {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn write(&self, group: &str, files: &GroupFiles, limit: &str, used: u64, cached: u64) {
            let dir = self.0.path().join(group);
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join(files.limit), format!("{limit}\n")).unwrap();
            fs::write(dir.join(files.used), format!("{}\n", used * MEGABYTE)).unwrap();
            let stat = format!(
                "anon 1\n{} {}\nfile 3\n",
                files.reclaimable,
                cached * MEGABYTE
            );
            fs::write(dir.join("memory.stat"), stat).unwrap();
        }

        fn free(&self, groups: &str) -> Option<u64> {
            cgroup_free(self.0.path(), groups).map(|bytes| bytes / MEGABYTE)
        }
    }

    fn bytes(megabytes: u64) -> String {
        (megabytes * MEGABYTE).to_string()
    }

    #[test]
    fn the_tightest_group_on_the_way_up_counts() {
        let groups = Groups::new();
        groups.write("user/job", &VERSION_2, "max", 900, 0);
        groups.write("user", &VERSION_2, &bytes(1000), 900, 100);
        assert_eq!(groups.free("0::/user/job\n"), Some(200));
        groups.write("user/job", &VERSION_2, &bytes(300), 250, 0);
        assert_eq!(groups.free("0::/user/job\n"), Some(50));
        groups.write("user/job", &VERSION_2, &bytes(300), 400, 0);
        assert_eq!(
            groups.free("0::/user/job\n"),
            Some(0),
            "more used than allowed"
        );
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_root() {
        let groups = Groups::new();
        groups.write("", &VERSION_2, &bytes(64), 10, 0);
        assert_eq!(groups.free("0::/\n"), Some(54));
        assert_eq!(groups.free("0::/a/path/of/the/host\n"), Some(54));
    }

    #[test]
    fn version_1_has_a_hierarchy_for_memory() {
        let groups = Groups::new();
        groups.write("memory/job", &VERSION_1, &bytes(100), 30, 5);
        let text = "11:cpu,cpuacct:/job\n7:memory:/job\n";
        assert_eq!(groups.free(text), Some(75));
    }

    #[test]
    fn without_groups_or_limits_nothing_is_said() {
        let groups = Groups::new();
        assert_eq!(groups.free(""), None);
        assert_eq!(groups.free("0::/user\nnonsense\n3:memory\n"), None);
        groups.write("user", &VERSION_2, "max", 5, 0);
        assert_eq!(groups.free("0::/user\n"), None);
    }

    #[test]
    fn the_limit_of_the_address_space_is_read() {
        let limits = |value: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units\n\
                 Max cpu time              7                    unlimited            seconds\n\
                 Max address space         {value}            unlimited            bytes\n"
            )
        };
        assert_eq!(soft_limit(&limits("157286400")), Some(157_286_400));
        assert_eq!(soft_limit(&limits("unlimited")), None);
        assert_eq!(soft_limit(""), None);
        let status = "Name:\tchuhe\nVmPeak:\t  451652 kB\nVmSize:\t  332004 kB\n";
        assert_eq!(virtual_size(status), Some(332_004 << 10));
        assert_eq!(virtual_size("VmSize:\t many"), None);
        #[cfg(target_os = "linux")]
        assert!(virtual_size(&fs::read_to_string(OWN_STATUS).unwrap()).unwrap() > MEGABYTE);
    }

    #[test]
    fn there_is_no_room_for_everything() {
        assert!(has_room(1 << 16));
        assert!(!has_room(isize::MAX as usize));
        assert!(free_megabytes() > 0);
    }
}
