//! The `chuhe` command.

fn main() {
    let d: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let r = chuhe::search::bench(d, |fen, n| println!("{n:>10} {fen}"));
    println!(
        "nodes {} time {:?} nps {}",
        r.nodes,
        r.time,
        r.nodes as f64 / r.time.as_secs_f64()
    );
}
