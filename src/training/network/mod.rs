//! Training of the neural network of the evaluation from game files.
//!
//! # The method
//!
//! A [`Recipe`] has all settings of a training run. The network is
//!
//! ```text
//! piece-squares as each side sees them (692) -> width neurons, same weights for both sides
//! SCReLU (clipped to 0..1, squared), side to move first -> 1 output, weights by number of pieces
//! ```
//!
//! With four input buckets there are four sets of input weights. Each side uses the set for the kinds of attackers that
//! it has (see [`InputBuckets`](crate::eval::nnue::InputBuckets)). During training, weights that all buckets share are
//! added to those of each bucket (a *factorizer*).
//!
//! The loss is the square, or another power, of the difference between the predicted result and a mixture of the result
//! of the game and the score of the search ([`Recipe`] has the formula). The search scales evaluations toward zero as
//! the number of plies without a capture grows, and the scores of the samples are results of such searches. So the
//! output is scaled in the same way before the loss is computed, and the network learns the evaluation before scaling.
//! With [`Recipe::later_share`] above 0, each score is first averaged with the later ones of its game, which reduces
//! noise.
//!
//! - Only quiet positions are used: not in check, the move played is not a capture, and the absolute score is at most
//!   2200. The last twelve plies of games that a repetition decided are not used. Each condition can be changed
//!   ([`Recipe::filter`]). For text samples (`FEN | score | result`), whose moves are unknown, only check and score
//!   are tested.
//! - The optimizer is AdamW with a cosine schedule. Samples are mirrored at random. The gradient of a batch is
//!   summed in a fixed order, so the same seed gives the same network with any number of threads.
//! - Only one input per piece is active, about 24 of 692. So the first layer adds one row of weights per piece, and
//!   its gradient has only these rows.
//! - Some games are used only for the test loss. They are chosen by their seed and number, or by their moves or
//!   positions if the seed is unknown, and by the seed of the recipe, independently of file names and scores.
//!
//! Results of the networks so far: [`guide::training_log`](crate::guide::training_log).

mod checkpoint;
mod model;
mod recipe;
mod samples;
mod trainer;

pub use checkpoint::CheckpointError;
pub use recipe::{Recipe, RecipeError};
pub use samples::{PackedSample, Samples};
pub use trainer::{ClassLoss, PassReport, SCORE_CLASS_BOUNDS, TestLosses, Trainer};

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};

    use super::model::{Layout, Target, Workspace};
    use super::{PackedSample, Recipe, Samples, Trainer};
    use crate::board::{PieceKind, Position};
    use crate::eval::nnue::simd::{FloatBlock, SimdLevel};
    use crate::eval::nnue::{AccumulatorStack, Network, evaluate, features};
    use crate::movegen::legal_moves;
    use crate::random;
    use crate::rules::Ply;
    use crate::training::data::{
        GameWriter, LabeledResult, LooseRecord, LooseSample, Record, ScoredMove, TrainingGame,
    };
    use crate::training::prepare::convert_text;

    fn recipe() -> Recipe {
        Recipe {
            width: 32,
            input_buckets: 4,
            batch: 256,
            passes: 6,
            warm_up: 2,
            rate: 5e-3,
            hold_out: 10,
            ..Recipe::default()
        }
    }

    /// Samples of random games. The score is the material balance, and its sign is the result.
    fn samples(recipe: &Recipe, games: u64) -> (Samples, Vec<Position>) {
        let mut rng = StdRng::seed_from_u64(5);
        let (mut samples, mut positions) = (Samples::default(), Vec::new());
        for game in 0..games {
            let mut position = Position::startpos();
            for _ in 0..120 {
                let Some(&played) = legal_moves(&position).choose(&mut rng) else {
                    break;
                };
                position.make(played);
                let score = material(&position);
                samples.add(recipe, game, &position, score as i16, (1 + score.signum()) as u8);
                positions.push(position.clone());
            }
        }
        (samples, positions)
    }

    fn material(position: &Position) -> i32 {
        let side = position.side_to_move();
        let values = [0, 100, 100, 300, 700, 300, 80];
        let kinds = PieceKind::ALL.into_iter().zip(values);
        kinds.fold(0, |sum, (kind, value)| {
            let count = |color| position.pieces(color, kind).len() as i32;
            sum + value * (count(side) - count(!side))
        })
    }

    #[test]
    fn gradients_match_finite_differences() {
        let recipe = recipe();
        let layout = Layout::new(recipe.architecture().expect("a recipe"));
        let mut parameters = layout.random_parameters(3);
        // Nonzero shared weights, so that their gradient is tested.
        parameters[layout.shared_weights..layout.input_biases]
            .fill(FloatBlock([0.01; FloatBlock::LEN]));
        let (samples, _) = samples(&recipe, 2);
        let mut workspace = Workspace::new(&layout);
        let mut rng = StdRng::seed_from_u64(9);
        let mut compared = 0;
        for (index, sample) in samples.training.iter().step_by(37).enumerate() {
            let target = Target {
                result_share: 0.3,
                scale: 370.0,
                loss_power: if index % 2 == 0 { 2.0 } else { 2.5 },
            };
            let mut gradient = vec![FloatBlock::ZERO; layout.length];
            let rows = layout.merged(&parameters);
            let square = workspace.add_gradient(
                &layout,
                &rows,
                &parameters,
                (sample, true),
                target,
                &mut gradient,
            );
            // By the chain rule, because the loss is a power of the square of the error.
            let power = f64::from(target.loss_power) / 2.0;
            let factor = power * square.powf(power - 1.0);
            layout.share_gradient(&mut gradient);
            for _ in 0..400 {
                let (block, lane) =
                    (rng.random_range(0..layout.length), rng.random_range(0..FloatBlock::LEN));
                let slope = f64::from(gradient[block].0[lane]);
                if slope == 0.0 {
                    continue;
                }
                let mut square_at = |change: f32| {
                    let mut moved = parameters.clone();
                    moved[block].0[lane] += change;
                    let rows = layout.merged(&moved);
                    let mut unused = vec![FloatBlock::ZERO; layout.length];
                    workspace.add_gradient(
                        &layout,
                        &rows,
                        &moved,
                        (sample, true),
                        target,
                        &mut unused,
                    )
                };
                let step = 1e-2;
                let change = square_at(step) - square_at(-step);
                let difference = factor * change / f64::from(2.0 * step);
                let error = (difference - slope).abs();
                assert!(error < 2e-4 + 0.05 * slope.abs(), "{block} {lane}: {difference} {slope}");
                compared += 1;
            }
        }
        assert!(compared > 50, "{compared} slopes compared");
    }

    fn train(recipe: &Recipe, samples: &Samples, threads: usize) -> Trainer {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let mut trainer = Trainer::new(recipe.clone(), None).expect("a recipe");
        while !trainer.is_done() {
            pool.install(|| trainer.pass(samples, |_| true)).expect("not interrupted");
        }
        trainer
    }

    #[test]
    fn threads_and_interruptions_do_not_change_the_network() {
        let recipe = recipe();
        let (samples, _) = samples(&recipe, 30);
        let expected = train(&recipe, &samples, 1).network(String::new());
        assert_eq!(train(&recipe, &samples, 3).network(String::new()), expected);

        let mut first = Trainer::new(recipe.clone(), None).expect("a recipe");
        let reports: Vec<_> =
            (0..3).map(|_| first.pass(&samples, |_| true).expect("a pass")).collect();
        // A pass that is interrupted before its first batch changes nothing.
        assert!(first.pass(&samples, |_| false).is_none());
        // `progress` is not called after the last batch.
        let mut single = Trainer::new(recipe.clone(), None).expect("a recipe");
        let count = samples.training.len();
        assert!(single.pass(&samples, |done| done < count).is_some());
        let checkpoint = first.checkpoint(samples.checksum(), &reports);
        let mut second = Trainer::new(recipe.clone(), None).expect("a recipe");
        assert_eq!(second.resume(&checkpoint, samples.checksum()), Ok(reports));
        while !second.is_done() {
            second.pass(&samples, |_| true).expect("a pass");
        }
        assert_eq!(second.network(String::new()), expected);

        let mut other = Trainer::new(Recipe { seed: 2, ..recipe }, None).expect("a recipe");
        assert!(other.resume(&checkpoint, samples.checksum()).is_err());
        assert!(second.resume(&checkpoint, samples.checksum() ^ 1).is_err());
        assert!(second.resume(&checkpoint[..checkpoint.len() - 9], samples.checksum()).is_err());
        assert!(second.resume(b"", samples.checksum()).is_err());
    }

    #[test]
    fn a_run_can_begin_with_a_network() {
        let recipe = recipe();
        let (samples, _) = samples(&recipe, 30);
        let network = train(&recipe, &samples, 2).network(String::new());
        let start = Trainer::new(recipe.clone(), Some(&network)).expect("the same architecture");
        assert_eq!(start.network(String::new()), network);
        let fresh = Trainer::new(recipe.clone(), None).expect("a recipe");
        let loss = |trainer: &Trainer| trainer.test_loss(&samples.test);
        assert!(loss(&start) < 0.9 * loss(&fresh));

        // Another scale changes only the unit of the output.
        let rescaled = Recipe { scale: 2.0 * recipe.scale, ..recipe.clone() };
        let rescaled = Trainer::new(rescaled, Some(&network)).expect("the same architecture");
        for sample in &samples.test {
            let (found, expected) = (rescaled.evaluate(sample), start.evaluate(sample));
            assert!((found - expected).abs() < 0.1, "{found} {expected}");
        }

        let mut other = Trainer::new(recipe.clone(), None).expect("a recipe");
        let checkpoint = start.checkpoint(samples.checksum(), &[]);
        assert!(other.resume(&checkpoint, samples.checksum()).is_err());
        let mut other = Trainer::new(recipe.clone(), Some(&fresh.network(String::new())));
        let other = other.as_mut().expect("the same architecture");
        assert!(other.resume(&checkpoint, samples.checksum()).is_err());
        let narrow = Recipe { input_buckets: 1, ..recipe };
        assert!(Trainer::new(narrow, Some(&network)).is_err());
    }

    #[test]
    fn a_widened_network_begins_with_nearly_the_same_evaluations() {
        let recipe = recipe();
        let (samples, _) = samples(&recipe, 30);
        let network = train(&recipe, &samples, 2).network(String::new());
        let narrow = Trainer::new(recipe.clone(), Some(&network)).expect("the same width");
        let with_width = |width| Recipe { width, ..recipe.clone() };
        let mut wide = Trainer::new(with_width(64), Some(&network)).expect("twice the width");
        let loss = |trainer: &Trainer| trainer.test_loss(&samples.test);
        assert!((loss(&wide) / loss(&narrow) - 1.0).abs() < 0.02);
        let differences = samples.test.iter().map(|sample| {
            let (wide, narrow) = (wide.evaluate(sample), narrow.evaluate(sample));
            (wide - narrow).abs() / (narrow.abs() + 100.0)
        });
        let mean = differences.sum::<f32>() / samples.test.len() as f32;
        assert!(mean < 0.05, "{mean}");
        // The copies of a neuron do not stay equal.
        wide.pass(&samples, |_| true).expect("a pass");
        let weights = wide.network(String::new()).parameters().input_weights;
        let rows = weights.chunks_exact(64);
        assert!(rows.filter(|row| row[..32] != row[32..]).count() > 500);
        assert!(Trainer::new(with_width(96), Some(&network)).is_err());
    }

    #[test]
    fn added_input_buckets_begin_with_the_same_evaluations() {
        let with_buckets = |input_buckets, width| Recipe { input_buckets, width, ..recipe() };
        let single = with_buckets(1, 32);
        let (samples, _) = samples(&single, 30);
        let network = train(&single, &samples, 2).network(String::new());
        let single = Trainer::new(single, Some(&network)).expect("the same buckets");
        let mut bucketed = Trainer::new(with_buckets(4, 32), Some(&network)).expect("more buckets");
        for sample in &samples.test {
            assert_eq!(bucketed.evaluate(sample), single.evaluate(sample));
        }
        bucketed.pass(&samples, |_| true).expect("a pass");
        let trained = bucketed.network(String::new());
        let weights = trained.parameters().input_weights;
        let mut buckets = weights.chunks_exact(weights.len() / 4);
        let last = buckets.next_back().expect("four buckets");
        assert!(buckets.all(|bucket| bucket != last));
        assert!(Trainer::new(with_buckets(4, 64), Some(&network)).is_ok());
        assert!(Trainer::new(with_buckets(1, 32), Some(&trained)).is_err());
    }

    /// With several input buckets, a weight is the sum of two parameters, and each is limited.
    #[test]
    fn input_weights_above_the_limit_of_a_parameter_are_kept() {
        let recipe = Recipe { rate: 1e-12, final_rate: 1e-12, ..recipe() };
        let (samples, _) = samples(&recipe, 2);
        let layout = Layout::new(recipe.architecture().expect("a recipe"));
        let mut trainer = Trainer::new(recipe.clone(), None).expect("a recipe");
        let large = FloatBlock([0.7 * recipe.clip; FloatBlock::LEN]);
        trainer.parameters[..8].fill(large);
        trainer.parameters[layout.shared_weights..layout.input_biases].fill(large);
        let network = trainer.network(String::new());
        let mut start = Trainer::new(recipe, Some(&network)).expect("the same architecture");
        assert_eq!(start.network(String::new()), network);
        start.pass(&samples, |_| true).expect("a pass");
        assert_eq!(start.network(String::new()), network);
    }

    #[test]
    fn material_is_learned_and_survives_quantization() {
        let recipe = Recipe { result_share: 0.0, final_result_share: 0.0, passes: 12, ..recipe() };
        let (samples, positions) = samples(&recipe, 150);
        let trainer = train(&recipe, &samples, 2);
        let network = Network::from_bytes(&trainer.network("material".to_owned()).to_bytes())
            .expect("a network");
        assert_eq!(network.description, "material");
        // The same quantized weights in floating point.
        let quantized = Trainer::new(recipe, Some(&network)).expect("the same architecture");
        let (mut error, mut spread) = (0.0, 0.0);
        for position in &positions {
            let sample = PackedSample::new(position, 0, 1).expect("no promotion");
            let mut stack = AccumulatorStack::new(&network, position);
            let integer = evaluate(SimdLevel::widest(), &network, &mut stack, position);
            let float = quantized.evaluate(&sample);
            assert!((integer as f32 - float).abs() < 1.5, "{integer} and {float}");
            error += f64::from((integer - material(position)).abs());
            spread += f64::from(material(position).abs());
        }
        let count = positions.len() as f64;
        assert!(error < 0.25 * spread, "error {} of {}", error / count, spread / count);
    }

    #[test]
    fn all_samples_of_a_game_are_for_training_or_for_test() {
        let recipe = recipe();
        let (all, _) = samples(&recipe, 200);
        let share = all.test.len() as f64 / (all.test.len() + all.training.len()) as f64;
        assert!((0.05..0.16).contains(&share), "{share}");
        let mut again = Samples::default();
        let position = Position::startpos();
        for _ in 0..5 {
            again.add(&recipe, 77, &position, 0, 1);
        }
        assert!(again.test.is_empty() != again.training.is_empty());
    }

    /// The text continues one game for more than the 1000 samples that are read as one game.
    #[test]
    fn text_and_its_conversion_have_the_same_test_samples() {
        let board = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";
        let lines = (1..1500).map(|number| format!("{board} w - - 0 {number} | {number} | 0.5\n"));
        let text: String = lines.collect();
        let mut file = GameWriter::new(Vec::new()).expect("a header");
        convert_text(text.as_bytes(), &mut file).expect("valid samples");
        let file = file.flush().expect("a block");
        for seed in 0..8 {
            let recipe = Recipe { seed, hold_out: 2, ..recipe() };
            let [mut from_text, mut from_file] = [Samples::default(), Samples::default()];
            from_text.add_text(&recipe, text.as_bytes()).expect("valid samples");
            from_file.add_games(&recipe, &file[..]).expect("a file");
            assert!(from_text.test == from_file.test, "{seed}");
            assert!(from_text.training == from_file.training, "{seed}");
        }
    }

    /// Their numbers in the files, their scores and their results differ.
    #[test]
    fn copies_of_games_without_a_seed_are_all_for_training_or_all_for_the_test() {
        let recipe = Recipe { hold_out: 2, ..recipe() };
        let moves = |first: u32, score: i16| {
            let mut rng = StdRng::seed_from_u64(u64::from(first));
            let game = random::game(&mut rng, Position::startpos(), 20);
            let scored = |ply: &Ply| ScoredMove { played: ply.played, score };
            game.plies().iter().map(scored).collect::<Vec<_>>()
        };
        let quiet = Recipe { leave_out_checks: false, leave_out_captures: false, ..recipe };
        let (mut tested, mut loose_tested) = (0, 0);
        for game in 0..20 {
            let [mut samples, mut loose_samples] = [Samples::default(), Samples::default()];
            for copy in 0..4 {
                let mut record = TrainingGame::decode(&mut &[0; 19][..]).expect("a game");
                record.number = 100 * copy + game;
                record.result = LabeledResult::ALL[copy as usize % 3];
                record.moves = moves(game, copy as i16);
                let loose = loose_copy(&record);
                for (record, samples) in
                    [(Record::Game(record), &mut samples), (loose, &mut loose_samples)]
                {
                    let mut file = GameWriter::new(Vec::new()).expect("a header");
                    file.record(&record).expect("a record");
                    let file = file.flush().expect("a block");
                    samples.add_games(&quiet, &file[..]).expect("a file");
                }
            }
            for samples in [&samples, &loose_samples] {
                assert_eq!(samples.found(), 80);
                assert!(samples.test.is_empty() != samples.training.is_empty(), "{game}");
            }
            tested += usize::from(!samples.test.is_empty());
            loose_tested += usize::from(!loose_samples.test.is_empty());
        }
        assert!([tested, loose_tested].iter().all(|games| (4..=16).contains(games)));
    }

    /// The positions of a game, which begin at the same position in each game.
    fn loose_copy(game: &TrainingGame) -> Record {
        let mut position = game.start_position();
        let samples = game.moves.iter().map(|ply| {
            let sample = LooseSample { position: position.clone(), score: ply.score };
            position.make(ply.played);
            sample
        });
        Record::Loose(LooseRecord { samples: samples.collect(), result: game.result })
    }

    #[test]
    fn classes_of_test_losses_add_up() {
        let recipe = recipe();
        let (samples, _) = samples(&recipe, 60);
        let trainer = Trainer::new(recipe, None).expect("a recipe");
        let losses = trainer.test_losses(&samples.test);
        assert_eq!(losses.all.samples, samples.test.len() as u64);
        assert_eq!(losses.all.mean(), trainer.test_loss(&samples.test));
        for classes in [&losses.by_pieces[..], &losses.by_score[..]] {
            let count: u64 = classes.iter().map(|class| class.samples).sum();
            let sum: f64 = classes.iter().map(|class| class.sum).sum();
            assert_eq!(count, losses.all.samples);
            assert!((sum - losses.all.sum).abs() < 1e-9 * sum, "{sum} {losses:?}");
        }
        assert!(losses.by_score[0].samples > 0 && losses.by_pieces[7].samples > 0);
        let shown = losses.to_string();
        assert!(shown.contains("up to 45"));
        let empty_class = "         -          0 samples  1 to 4\n";
        assert!(losses.by_pieces[0].samples == 0 && shown.contains(empty_class), "{shown}");
    }

    /// The search scales evaluations by the no-capture count, so a network must learn the same evaluation from
    /// positions with different counts.
    #[test]
    fn the_scale_of_the_no_capture_count_is_not_learned() {
        let recipe = Recipe { result_share: 0.0, final_result_share: 0.0, passes: 12, ..recipe() };
        let (_, positions) = samples(&recipe, 60);
        let at = |clock: u16| {
            let mut samples = Samples::default();
            for (number, position) in positions.iter().enumerate() {
                let mut setup = position.setup();
                setup.halfmove_clock = clock;
                let position = Position::try_from(&setup).expect("a position");
                let scale = 1.0 - f32::from(clock) / 250.0;
                let score = (material(&position) as f32 * scale).round() as i16;
                samples.add(&recipe, number as u64, &position, score, 1);
            }
            samples
        };
        let (plain, scaled) = (at(0), at(100));
        assert!((scaled.training[0].scale() - 0.6).abs() < 1e-6);
        // The network of the unscaled samples predicts the scaled ones nearly as well.
        let trainer = train(&recipe, &plain, 2);
        let loss = |samples: &Samples| trainer.test_loss(&samples.training);
        assert!(loss(&scaled) < 1.1 * loss(&plain), "{} {}", loss(&scaled), loss(&plain));
    }

    #[test]
    fn sums_of_maximum_weights_fit_16_bits() {
        let most = (features::MAX_ACTIVE + 1) as f32 * super::trainer::INPUT_BOUND;
        assert!(most <= f32::from(i16::MAX), "{most}");
    }

    #[test]
    fn settings_out_of_range_are_errors() {
        let settings = "width = 48; width = 0; input_buckets = 3; output_buckets = 2; result_share = 1.5; \
                        later_share = 1.0; loss_power = 0.5; scale = 0.0; scale = 0.3; scale = 1e6; \
                        passes = 0; batch = 1; rate = -1.0; rate = 1e30; rate = nan; final_rate = 1.0; \
                        decay = 1.0; clip = 2.0; hold_out = 1; largest_score = -5; largest_score = 0; \
                        largest_swing = 0";
        for setting in settings.split("; ") {
            let recipe: Recipe = toml::from_str(setting).expect(setting);
            let error = recipe.architecture().expect_err(setting).to_string();
            let (key, _) = setting.split_once(' ').expect(setting);
            assert!(error.starts_with(key), "{error}");
        }
        assert!(toml::from_str::<Recipe>("widht = 128").is_err());
        assert!(Recipe::default().architecture().is_ok());
    }
}
