//! Training of the evaluation's neural network: games in, a network file out.
//!
//! # The method
//!
//! A [`Recipe`] says what is trained and how, on one screen. The network is
//!
//! ```text
//! piece-squares of each side's view (692) -> width, the same weights for both sides
//! squares of the neurons between 0 and 1 (SCReLU), side to move first -> 1, by number of pieces
//! ```
//!
//! and its loss the squared difference between the expected result it gives, `sigmoid(output)`, and a
//! mixture of the game's result and of the score that the search gave the position. Only quiet
//! positions count: not in check, the best move no capture, the score within 2,200, and not among the last
//! twelve plies of a game that a repetition has decided ([`Recipe::filter`]; each can be set). Text samples
//! (`FEN | score | result`) tell no moves, so that of these only the check and the score are looked at. A batch is
//! divided into shards that are
//! summed in a fixed order; with AdamW, a cosine schedule and every sample mirrored at random, a run
//! repeats exactly for a seed, whatever the number of threads. Which games are held back to test with depends on
//! their seed and number, or on their first sample where those are not known, and on the recipe's seed; not on the
//! names of files. As about 24 of the 692 inputs are on, the
//! first layer is a sum of rows, and so is its gradient.
//!
//! # Generations
//!
//! A network becomes part of the program when it wins at a fixed number of nodes and at equal time.
//! Generations are counted by what their games were evaluated with.
//!
//! Those up to 5 were trained when the hold-out of text samples depended on the name of their file. A run on
//! `samples.txt` holds back other games of it today, and so comes to another network than the one of then; games in
//! `.chg` files are held back as they were.
//!
//! **Generation 1**, not accepted. 4,383,170 quiet positions (87,940 of other games to test with) of
//! self-play by the handcrafted evaluation, 1500 nodes a move; 16 passes, seed 11, 5 minutes; training loss
//! 0.00845, test loss 0.01017. They are the `samples.txt` of the commands below: 4,471,110 text samples by `chuhe
//! selfplay --nodes 1500 --threads 2 --seed 20261121000` as it was at commit e53ad0a (it wrote text, and had a hard
//! limit of nodes and no adjudication of draws).
//!
//! ```text
//! chuhe train samples.txt --out generation-1.nnue --set passes=16 --set seed=11
//! ```
//!
//! No match of it was kept. An earlier one of 5,420,864 positions (25 passes, 0.00945 on other games) was level
//! with the handcrafted evaluation at 8000 nodes (+51 =19 -50) and evaluated 1.4 times as fast. In both the test
//! loss stands still over the last third of the passes: what is missing is data.
//!
//! **Generation 2**, accepted. The samples of generation 1 and 53,374 games by it (7,538,232 positions,
//! 400 nodes a move, seeds 71 and 72, 80 minutes of both cores of a busy machine): 10,127,033 quiet
//! positions, 203,939 to test with.
//!
//! ```text
//! chuhe selfplay g1-1.chg --nodes 400 --seed 71 --network generation-1.nnue
//! chuhe selfplay g1-2.chg --nodes 400 --seed 72 --network generation-1.nnue
//! chuhe train samples.txt g1-1.chg g1-2.chg --out generation-2.nnue --set passes=14 --set seed=12
//! ```
//!
//! 20 minutes; training loss 0.00893, test loss 0.01002, as good as reached in pass 10. Against the
//! handcrafted evaluation of the same build at 4000 nodes a move: +148 =49 -103, +52 [+17, +89] Elo; at
//! 1 s + 0.01 s: +56 =28 -36, +59 [+4, +116].
//! These matches were played with the search as it was tuned for the handcrafted evaluation. Only the
//! centre of the swing of quiet moves is its own since (`network_swing_offset`, for the tempo that it
//! gives a position is smaller); that was fitted, not matched.
//!
//! **Generation 3**, accepted. All of these and 41,772 games by generation 2 (5,784,724 positions, 400 nodes
//! a move, seeds 3 and 4, 90 minutes of a third of both cores): 14,516,923 quiet positions, 294,329 to test
//! with.
//!
//! ```text
//! chuhe selfplay g2-1.chg --nodes 400 --seed 3 --network generation-2.nnue
//! chuhe selfplay g2-2.chg --nodes 400 --seed 4 --network generation-2.nnue
//! chuhe train samples.txt g1-1.chg g1-2.chg g2-1.chg g2-2.chg --out generation-3.nnue \
//!     --set passes=14 --set seed=13
//! ```
//!
//! 23 minutes; training loss 0.00906, test loss 0.00965. Against generation 2 in the same build at 4000 nodes a move:
//! +137 =65 -98, +45 [+10, +82] Elo; against the handcrafted evaluation +78 =23 -49, +68 [+18, +121].
//! Afterwards the centre of the swing of quiet moves was fitted to it, from -70 to -48. So fitted, at 2 s +
//! 0.02 s: against the handcrafted evaluation of the same build +110 =46 -43 (+122 [+80, +167] Elo, at the same
//! nodes/s); against Pikafish's handcrafted evaluation +87 =6 -7, against Fairy-Stockfish without its network
//! +94 =2 -4, against ElephantEye +97 =0 -3; against Chuhe itself as it was with its handcrafted evaluation and
//! the search of that time +278 =59 -63 (+209 [+175, +247] Elo).
//!
//! **Generation 4**, accepted. All of these and 65,180 games by generation 3 (8,885,897 positions, 400 nodes a
//! move, seeds 5 to 10): 21,236,108 quiet positions, 439,367 to test with.
//!
//! ```text
//! chuhe selfplay g3-N.chg --nodes 400 --seed N --network generation-3.nnue      # N from 5 to 10
//! chuhe train samples.txt g1-*.chg g2-*.chg g3-*.chg --out generation-4.nnue \
//!     --set passes=14 --set seed=14
//! ```
//!
//! 17 minutes; training loss 0.00922, test loss 0.00978 (on other games than generation 3's). Against
//! generation 3 in the same build at 4000 nodes a move: +130 =76 -94, +42 [+8, +77] Elo; at 1 s + 0.01
//! s: +152 =132 -120, +28 [+2, +54]. The centre of the swing of quiet moves was still within 10 of zero
//! and stayed as it was.
//!
//! At 2 s + 0.02 s, 100 games each: against Pikafish's handcrafted evaluation +82 =7 -11 (generation 3: +87 =6
//! -7), against Fairy-Stockfish without its network +97 =0 -3, against ElephantEye +98 =1 -1.
//!
//! **Generation 5**, embedded. All of these and 101,120 games by generation 4 (13,715,683 positions, 400 nodes a
//! move, seeds 11 to 18), 40.3 million positions in all: 31,612,341 quiet ones, 638,521 to test with; and 256
//! neurons a side where there were 128.
//!
//! ```text
//! chuhe selfplay g4-N.chg --nodes 400 --seed N --network generation-4.nnue      # N from 11 to 18
//! chuhe train samples.txt g1-*.chg g2-*.chg g3-*.chg g4-*.chg --out generation-5.nnue \
//!     --set passes=14 --set seed=15 --set width=256
//! ```
//!
//! 10 minutes; training loss 0.00905, test loss 0.00956. Against generation 4 in the same build at 4000
//! nodes a move: +177 =88 -135, +37 [+7, +66] Elo; at 1 s + 0.01 s, 64 MB: +61 =97 -42, +33 [0, +66], at 98 % of
//! its nodes/s. The centre of the swing of quiet moves stayed as it was.
//!
//! At 2 s + 0.02 s, 100 games each, with loops and hash table half as fast again as before: against Pikafish's
//! handcrafted evaluation +91 =3 -6, against Fairy-Stockfish without its network +97 =1 -2, against ElephantEye
//! +99 =0 -1; against the handcrafted evaluation of the same build +81 =21 -8 (+278 [+221, +350] Elo).
//!
//! With the order of quiet moves and the corrections of the search that came after it, Pikafish's handcrafted
//! evaluation on four times the time (8 s + 0.08 s against 2 s + 0.02 s): +47 =15 -15 of 77 games.
//!
//! Then 40 numbers of the search were tuned together, for the first time with a network: simultaneous
//! perturbation (SPSA; Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient
//! approximation", 1992) over 10,000 games at 3000 nodes by a build with the feature `tune`; what was taken lies
//! between the last numbers and their mean over the second half. Against the numbers before (with
//! `network_swing_offset=-41`, which stayed at -48 in the end): +139 =159 -102 at 6000 nodes, +32 [+6, +59]
//! Elo; at 1 s + 0.01 s +113 =192 -95, +16 [-9, +41]. Single numbers that moved by more than their error: wider
//! aspiration windows, smaller margins of futility and razoring, smaller maluses, faster corrections of the
//! evaluation, less pruning by history.
//!
//! With these and more time where the best move changes, 200 games each at 2 s + 0.02 s, 64 MB, one thread, no
//! loss on time: against Pikafish's handcrafted evaluation +185 =9 -6 (+503 [+425, +634] Elo), and on four times
//! the time +113 =27 -60 (+94 [+52, +139]); against ElephantEye +196 =1 -3; against Fairy-Stockfish without its
//! network +197 =2 -1; against the handcrafted evaluation of the same build +145 =30 -25 (+241 [+192, +299]).
//!
//! What else was tried on the way to it:
//!
//! - 128 neurons on the same samples: training loss 0.00935, test loss 0.00961. Not matched.
//! - 128 neurons and four sets of input weights (`input_buckets=4`, 12 passes) on 27.8 million quiet positions:
//!   training loss 0.00889, test loss 0.00976 (on fewer games), +152 =90 -158 against generation 4 at 4000
//!   nodes, -5 [-34, +23]. What it learned more was its own samples.
//! - Generation 4 gone on with (`--from`, `rate=0.0003`, `passes=4`, seed 15) on 26.4 million of them: +150
//!   =112 -138 at 4000 nodes, +10 [-16, +37].
//!
//! So far the strength at a fixed number of nodes grew with the quiet positions like this: 4.4 million, level
//! with the handcrafted evaluation; 10.1 million, +52 against it; 14.5 million, +45 more; 21.2 million, +42
//! more; 31.6 million and twice the width, +37 more.
//!
//! The games are not kept with the program. To go on without them, begin with the embedded network at a lower
//! rate, so that what it learned from them is kept; its width, buckets and scale are taken from it:
//!
//! ```text
//! chuhe train games.chg --out new.nnue --from src/eval/nnue/embedded.nnue --set rate=0.0003
//! ```

mod checkpoint;
mod model;
mod optimizer;
mod recipe;
mod samples;
#[cfg(test)]
mod tests;
mod trainer;
mod vector;

pub use checkpoint::CheckpointError;
pub use recipe::{Recipe, RecipeError};
pub use samples::{PackedSample, Samples};
pub use trainer::{PassReport, Trainer, TrainerError};
