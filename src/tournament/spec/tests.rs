use super::*;

fn spec(settings: &[&str], each: &[&str]) -> Result<EngineSpec, String> {
    let each = PartialEngineSpec::parse(each).map_err(|e| e.to_string())?;
    let engine = PartialEngineSpec::parse(settings).map_err(|e| e.to_string())?;
    engine.spec(&each).map_err(|e| e.to_string())
}

#[test]
fn command_line_and_toml_are_equivalent() {
    let settings = "cmd=/bin/engine|name=one|args=-v 'two words'|proto=uci|ranks=1|option.Hash=64|\
                    option.Use NNUE=false|init=hello|movetime=20|cpus=0-1,3";
    let settings: Vec<&str> = settings.split('|').collect();
    let each = ["option.hash=16", "option.Threads=1", "tc=10+0.1", "nice=5"];
    let from_command_line = spec(&settings, &each).unwrap();
    let (each, engines) = read_toml(
        r#"
        [each]
        options = { hash = 16, Threads = 1 }
        tc = "10+0.1"
        nice = 5
        [[engine]]
        cmd = "/bin/engine"
        name = "one"
        args = ["-v", "two words"]
        proto = "uci"
        ranks = 1
        init = ["hello"]
        movetime = 20
        cpus = [0, 1, 3]
        options = { Hash = 64, "Use NNUE" = false }
        "#,
    )
    .unwrap();
    let toml = engines[0].clone().spec(&each).unwrap();
    assert_eq!(from_command_line, toml);
    let options: Vec<_> =
        from_command_line.options.iter().map(|(n, v)| format!("{n}={v}")).collect();
    assert_eq!(options, ["Threads=1", "Hash=64", "Use NNUE=false"]);
    assert_eq!(toml.limit.to_string(), "20 ms per move");
    assert_eq!((toml.nice, toml.margin), (Some(5), DEFAULT_MARGIN));
}

#[test]
fn missing_settings_are_taken_from_the_defaults() {
    let parse = |settings: &[&str]| PartialEngineSpec::parse(settings).unwrap();
    let file = parse(&["depth=3", "nice=1", "margin=1", "option.Hash=1", "args=file"]);
    let line = parse(&["movetime=5", "nice=2", "option.hash=2", "option.Threads=2"]);
    let engine = parse(&["cmd=x", "option.threads=3"]);
    let spec = engine.spec(&line.or(&file)).unwrap();
    assert_eq!(spec.limit.to_string(), "5 ms per move");
    assert_eq!((spec.nice, spec.margin), (Some(2), Duration::from_millis(1)));
    assert_eq!(spec.arguments, ["file"]);
    let options: Vec<_> = spec.options.iter().map(|(n, v)| format!("{n}={v}")).collect();
    assert_eq!(options, ["hash=2", "threads=3"]);
    let engine = parse(&["cmd=x", "name= ", "nodes=9"]).spec(&file).unwrap();
    assert_eq!(engine.limit.to_string(), "9 nodes per move");
    assert_eq!(engine.name, "x");
    let both = parse(&["cmd=x", "tc=3+0.1", "depth=8"]).spec(&file).unwrap();
    assert_eq!(both.limit.to_string(), "3+0.1, depth 8");
    // The form in the journal.
    let json = serde_json::json!([spec.limit, engine.limit, both.limit]);
    assert_eq!(json.to_string(), r#"[{"move_time_ms":5},{"nodes":9},{"clock":"3+0.1","depth":8}]"#);
}

#[test]
fn listed_keys_are_known() {
    for key in KEYS.split(", ") {
        let set = PartialEngineSpec::default().set(key, "1");
        let is_unknown = |error: SettingError| error.to_string().starts_with("unknown key");
        assert!(!set.is_err_and(is_unknown), "{key}");
    }
}

#[test]
fn invalid_settings_are_reported() {
    for (settings, reason) in [
        (&["cmd=x"][..], "engine x: no limit"),
        (&["tc=1"], "no cmd="),
        (&["cmd=x", "tc=1", "movetime=3"], "cannot be combined"),
        (&["cmd=x", "depth=0"], "must be greater than 0"),
        (&["cmd=x", "tc=1", "nodes=0"], "must be greater than 0"),
        (&["cmd=x", "tc=fast"], "not a time control"),
        (&["cmd=x", "tc=1000001"], "tc=1000001: the times must be"),
        (&["cmd=x", "movetime=1000000001"], "at most 1000000000"),
        (&["cmd=x", "tc=1", "proto=cecp"], "ucci, uci, xboard"),
        (&["cmd=x", "tc=1", "ranks=2"], "0 or 1"),
        (&["cmd=x", "nodes=5", "ponder=on"], "needs tc="),
        (&["cmd=x", "tc=1", "ponder=maybe"], "\"ponder=maybe\": must be on or off"),
        (&["hash=64"], "\"hash=64\": unknown key; the keys are cmd, name, args, dir,"),
        (&["option.=64"], "unknown key"),
        (&["cmd"], "not of the form key=value"),
        (&["args='x"], "unclosed quote"),
        (&["cpus=3-1"], "not a list of processors"),
    ] {
        let error = spec(settings, &[]).unwrap_err();
        assert!(error.contains(reason), "{settings:?}: {error}");
    }
    let (each, engines) = read_toml("[[engine]]\ncmd = \"x\"\ndepth = 1\ncpus = []").unwrap();
    let error = engines[0].clone().spec(&each).unwrap_err().to_string();
    assert_eq!(error, "engine x: cpus= needs at least one processor");
    for (text, reason) in [
        ("[[engine]]\nhash = 3", "unknown field `hash`"),
        ("engine = 5", "expected a sequence"),
        ("[", "TOML parse error"),
        ("[each.options]\nHash = [1]", "expected true, false, a number or a text"),
    ] {
        let error = read_toml(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}
