//! The `chuhe` command.
use chuhe::training::*;
use std::io::BufRead;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    match a[1].as_str() {
        "bench" => {
            let d: u32 = a[2].parse().unwrap();
            let r = chuhe::search::bench(d, |fen, n| println!("{n:>10} {fen}"));
            println!(
                "nodes {} time {:?} nps {}",
                r.nodes,
                r.time,
                r.nodes as f64 / r.time.as_secs_f64()
            );
        }
        "selfplay" => {
            let mut out = std::io::BufWriter::new(std::fs::File::create(&a[2]).unwrap());
            let plan = SelfPlay {
                games: a[3].parse().unwrap(),
                nodes: a[4].parse().unwrap(),
                threads: a[6].parse().unwrap(),
                hash: 8,
                seed: a[5].parse().unwrap(),
            };
            let t = std::time::Instant::now();
            play_games(&plan, &mut out, |g, n| {
                if g % 100 == 0 {
                    eprintln!("{g} games {n} samples {:?}", t.elapsed())
                }
            })
            .unwrap();
        }
        _ => {
            let mut s: Vec<Sample> = vec![];
            for f in &a[3..] {
                for l in std::io::BufReader::new(std::fs::File::open(f).unwrap()).lines() {
                    if let Ok(x) = l.unwrap().parse() {
                        s.push(x);
                    }
                }
            }
            eprintln!("{} samples", s.len());
            let plan = Tuning {
                threads: 2,
                ..Tuning::default()
            };
            let w = tune(&s, &plan, |r| {
                if r.epoch % 5 == 1 {
                    eprintln!("{r:?}")
                }
            })
            .unwrap();
            std::fs::write(&a[2], write_weights(&w)).unwrap();
        }
    }
}
