#!/bin/sh
# The test engine: it moves rooks back and forth and misbehaves according to its first argument. Some modes also use the
# file that is the second argument.
# From the starting position the game is drawn by repetition after eight plies.
mode=$1
file=$2
moves=0
banned=
CR=$(printf '\r')
TAB=$(printf '\t')

say() { printf '%s\n' "$1"; }

# Unusual but readable answers. The first line begins with a byte order mark.
if [ "$mode" = loud ]; then
    printf '\357\273\277'
    say() {
        case $1 in
            *ok) printf '%s 3.0\n' "$(printf '%s' "$1" | tr a-z A-Z)" ;;
            bestmove*) printf 'BestMove %s, ponder none.\n' "${1#bestmove }" ;;
            *) printf '%s\n' "$1" ;;
        esac
    }
fi

# Tabs between the words.
if [ "$mode" = untidy ]; then
    say() { printf '%s\n' "$1" | tr ' ' "$TAB"; }
fi

# A blank at the end of each line.
[ "$mode" = sloppy ] && say() { printf '%s \n' "$1"; }

# The program `file`, which is Chuhe, as an engine that speaks only XBoard: `xboard` reads its first line late, `strict`
# plays one game, reads only FENs with the letters N and B and refuses the first move that it gets, `refuses` refuses
# all moves, `declines` refuses `go`, `balks` refuses `go` after its first move.
case $mode in
    xboard | strict | refuses | declines | balks)
        exec 3>&1
        [ "$mode" = xboard ] && sleep 1.2
        while read -r line; do
            case $mode-$line in
                *-ucci | *-uci) say "Error (unknown command): $line" >&3 ;;
                strict-new) say "feature reuse=0" >&3; say "$line" ;;
                strict-setboard*[hHeE]*/*) say "tellusererror Illegal position" >&3 ;;
                strict-usermove* | refuses-usermove*)
                    if [ "$refused" = strict ]; then say "$line"; else say "Illegal move: ${line#* }" >&3; fi
                    refused=$mode
                    ;;
                balks-usermove*) say "$line"; balks=yes ;;
                declines-go) say "Error (no game): $line" >&3 ;;
                balks-go) if [ "$balks" = yes ]; then say "Error (no game): $line" >&3; else say "$line"; fi ;;
                *) say "$line" ;;
            esac
        done | "$file"
        exit
        ;;
esac

# Chooses the move by the number of moves so far.
choose() {
    case $mode-$((moves % 4)) in
        checker*-0) if [ "$moves" = 0 ]; then move=a1e1; else move=f1e1; fi ;;
        checker*-1) move=e9f9 ;;
        checker*-2) move=e1f1 ;;
        checker*-3) move=f9e9 ;;
        # A pass, which is legal in janggi.
        janggi-*) [ "$stalemate" = yes ] && move=f1f1 || move=a1a2 ;;
        ranks*-0) move=a1a2 ;;
        ranks*-1) move=a10a9 ;;
        ranks*-2) move=a2a1 ;;
        ranks*-3) move=a9a10 ;;
        *-0) move=a0a1 ;;
        *-1) move=a9a8 ;;
        *-2) move=a1a0 ;;
        *-3) move=a8a9 ;;
    esac
    [ "$move" = "$banned" ] && move=f1g1
}

# Too much output.
gush() {
    yes "info depth 1 score 1" 2>/dev/null | head -n 200000 2>/dev/null
    say over >>"$file"
}

answer() {
    choose
    case $mode in
        hang) sleep 1000 & [ -n "$file" ] && say "$!" >>"$file"; wait ;;
        silent) exec sleep 1000 ;;
        orphan) sleep 1000 & exit 4 ;;
        crash) say "out of luck" >&2; exit 3 ;;
        killed) kill -KILL $$ ;;
        closed) exec 1>&-; sleep 1000 ;;
        illegal) say "bestmove a0a9" ;;
        ranks-illegal) say "bestmove H3-E2" ;;
        theft) say "bestmove b9c7" ;;
        garbage) printf 'bestmove \377\376 %%n\n' ;;
        flood) while :; do say "info depth 1 score 1"; say "blah"; done ;;
        chatter) exec yes "blah blah blah" ;;
        endless) exec tr '\000' x </dev/zero ;;
        frozen) kill -STOP $$ ;;
        unended) printf 'bestmove %s' "$move"; sleep 1000 ;;
        nul) printf 'bestmove \000%s\n' "$move" ;;
        wordy) printf 'info depth 3 score 5 pv'; yes ' a0a1' | head -n 4000 | tr -d '\n'; say; say "bestmove $move" ;;
        late) ;;
        mated) say "info depth 8 score 29993"; say "bestmove $move" ;;
        detailed) say "info depth 8 seldepth 11 score 12 nodes 5000 time 9 hashfull 3 tbhits 2 pv $move a9a8"; say "bestmove $move" ;;
        chess) say "bestmove e2e4" ;;
        colored) printf 'info depth 4294967295 score 1\nbestmove %s\n' "$move" ;;
        waits) while [ ! -s "$file" ]; do sleep 0.1; done; say "bestmove $move" ;;
        signals) [ "$moves" -lt 6 ] || say far >>"$file"; say "bestmove $move" ;;
        resign) say "bestmove $move resign" ;;
        nothing) say "nobestmove" ;;
        none) say "bestmove (none)" ;;
        offer) say "bestmove $move draw" ;;
        shouts) say "bestmove $move draw" | tr a-z A-Z ;;
        polite) case $1 in *draw*) say "bestmove $move draw" ;; *) say "bestmove $move" ;; esac ;;
        win) say "info depth 9 score 900"; say "bestmove $move" ;;
        lose) say "info depth 9 score -900"; say "bestmove $move" ;;
        liar) say "info depth 99999999999 score cp 99999999999999 nodes 99999999999999999999 nps -1 pv x"
              say "info score mate"; say "info"; say "bestmove $move ponder nonsense" ;;
        noisy) head -c 300000 /dev/zero | tr '\000' e >&2
               printf '\r\n\r\nbestmove\n' | tr 'x' 'y' >&2
               printf '  info depth 3 score 5\r\n\377\r\nbestmoves a0a9\r\nbestmove %s\r\n' "$move" ;;
        talks-on) printf 'info depth 5 score 10\nbestmove %s\ninfo depth 99 score -900\n' "$move" ;;
        twice) say "bestmove $move"; say "bestmove a0a9"; say "bestmove a0a9" ;;
        affinity) say "$(nice) $(grep Cpus_allowed_list /proc/$$/status)" >>"$file"; say "bestmove $move" ;;
        slow) sleep 0.03; say "bestmove $move" ;;
        spills) say "bestmove $move"; case $1 in "go time"*) gush ;; esac ;;
        misses) case $1 in
                *ponder*) ;;
                *) case $((moves % 4)) in 0) next=a9a7 ;; 1) next=a1a2 ;; 2) next=a8a7 ;; 3) next=a0a2 ;; esac
                   say "bestmove $move ponder $next" ;;
            esac ;;
        foresee | gush | checker-foresees) case $1 in
                *ponder*) case $mode in foresee) say "info nodes 9000000" ;; gush) gush ;; esac ;;
                *) before=$moves; moves=$((moves + 1)); choose; next=$move; moves=$before; choose
                   say "bestmove $move ponder $next" ;;
            esac ;;
        ranks) case $1 in *searchmoves*) move=b1c3 ;; esac
               say "info depth 5 score cp 10 nodes 1000 time 1 pv $move a10a9 x"; say "bestmove $move" ;;
        untidy) say "info depth 5 score cp 10 pv $move a0a9 x"; say "bestmove $move ponder a0a9" ;;
        dashes) case $1 in
                *depth*) say "info score cp 1 nodes 7 lowerbound nps 7 time 7 wdl 1 2 3 pv ${move%??}-${move#??}"; say "bestmove $move ponder" ;;
                *) say "bestmove ${move%??}-${move#??}" ;;
            esac ;;
        *) say "info depth 5 score 10 nodes 1000 time 1"; say "bestmove $move" ;;
    esac
}

# The child process leaves the process group and keeps the pipes open.
if [ "$mode" = detaches ]; then
    setsid sleep 1000 &
    say "$!" >>"$file"
fi
# Writes its process id to the file, then does not respond.
if [ "$mode" = dawdles ]; then
    say "$$" >>"$file"
    sleep 1000
fi
# Starts slowly.
[ "$mode" = drowsy ] && sleep 1.5

# Starts only once.
if [ "$mode" = once ]; then
    [ -e "$file" ] && exit 1
fi

while read -r line; do
    line=${line%"$CR"}
    case $mode-$line in unsynced-isready | spills-isready) continue ;; esac
    # Exits at a line before the handshake and at a tab.
    case $mode-$greeted-$line in
        picky--ucci | picky--uci) greeted=yes ;;
        picky--* | picky-*"$TAB"*) exit 2 ;;
    esac
    case $line in
        ucci | uci)
            [ "$mode" = mute ] && continue
            [ "$mode" = ranks ] && [ "$line" = ucci ] && continue
            case $mode-$line in fussy-ucci | drowsy-ucci) exit 2 ;; esac
            case $mode in
                colored) printf 'id name Red \033[31mShuffler\007\n' ;;
                # 象棋
                gbk) printf 'id name \317\363\306\345\n' ;;
                *) say "id name Shuffler $mode" ;;
            esac
            [ "$mode" = foresee ] && say "option Ponder type check default false"
            [ "$mode" = ranks ] &&
                say "option name UCI_Variant type combo default chess var chess var xiangqi var janggi"
            [ "$mode" = resign ] && say "option speed type spin default 500 min 1 max 1000"
            case $mode in
                seconds) ;;
                sloppy)
                    if [ "$line" = uci ]; then
                        say "option name Speed type spin default 0 min 1 max 9"
                    else
                        say "option usemillisec type check default false"
                        say "option UseMillisec type check default true"
                    fi
                    ;;
                hybrid) say "option UCI_Variant type combo default xiangqi var chess var xiangqi" ;;
                dashes) say "option name type check default true" ;;
                twice) say "option UseMillisec type check default false" ;;
                *) say "option usemillisec type check default false" ;;
            esac
            say "${line}ok"
            ;;
        protover*)
            [ "$mode" = pingless ] && say "feature setboard=1 done=1"
            [ "$mode" = san ] && say "feature ping=1 san=1 done=1"
            [ "$mode" = fenless ] && say "feature ping=1 setboard=0 done=1"
            ;;
        ping*) [ "$mode" = fenless ] && say "pong ${line#ping }" ;;
        isready)
            [ "$mode" = eager ] && say "bestmove a0a9"
            [ "$mode" = tardy ] && sleep 1.5
            if [ "$mode" = unready ] && [ "$moves" -gt 2 ]; then say unready >>"$file"; exec sleep 1000; fi
            say readyok
            ;;
        position*)
            [ "$mode" = fragile ] && [ "$searched" = yes ] && exit 5
            banned=
            moves=0
            case $line in *r8/5K3*) stalemate=yes ;; *) stalemate= ;; esac
            case $line in *" moves "*) set -- ${line#* moves }; moves=$# ;; esac
            ;;
        "setoption name UCI_Variant value janggi") mode=janggi ;;
        "setoption name UCI_Variant value xiangqi") variant=xiangqi ;;
        banmoves*) banned=${line#banmoves } ;;
        # The line that `init=` sends to engines whose detection is turned off.
        known) is_known=yes ;;
        "setoption newgame" | ucinewgame) in_game=yes ;;
        "setoption style"*) [ "$mode" = objects ] && printf 'info message no \033[31msuch style\n' ;;
        ponderhit*) if [ "$mode" = checker-foresees ]; then answer; else choose; say "bestmove $move"; fi ;;
        stop) case $mode in foresee | late | checker-foresees) choose; say "bestmove $move" ;; esac ;;
        go*)
            searched=yes
            [ "$mode" = fragile ] && [ "$line" = "go infinite" ] && continue
            # The verification of `ranks=` must succeed; the engine misbehaves in games.
            if [ "$is_known" = yes ] && [ "$in_game" != yes ]; then
                choose
                # The games of these modes start from another position.
                case $mode in checker*) move=a0a1 ;; esac
                say "bestmove $move"
                continue
            fi
            # Without UCI_Variant the position is invalid for this engine.
            [ "$mode" = ranks ] && [ "$variant" != xiangqi ] && exit 1
            if [ "$mode" = once ]; then : >"$file"; exit 1; fi
            answer "$line"
            ;;
        quit)
            [ "$mode" = lingers ] && sleep 3
            [ "$mode" = untidy ] && kill -SEGV $$
            if [ "$mode" = sloppy ]; then echo "out of luck" >&2; exit 101; fi
            [ "$mode" = stays ] || exit 0
            ;;
    esac
done
case $mode in
    stays) sleep 1000 ;;
    untidy) kill -SEGV $$ ;;
    sloppy) exit 1 ;;
esac
