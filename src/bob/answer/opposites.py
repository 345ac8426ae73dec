"""Pairs of words that turn a sentence into its opposite."""

from __future__ import annotations

from bob.text.words import stem

_PAIRS = """
    higher/lower increase/decrease increase/reduce increasing/decreasing before/after first/last
    minimum/maximum minimal/maximal min/max faster/slower fast/slow quickly/slowly more/less more/fewer
    most/least true/false allow/deny allow/forbid allow/prohibit allow/prevent permit/forbid permit/deny
    permitted/prohibited allowed/forbidden permitted/forbidden allow/ban permit/ban legal/forbidden
    kept/dropped kept/deleted kept/removed kept/discarded sent/received given/taken begun/ended
    risen/fallen grown/shrunk chosen/rejected open/close open/closed add/remove add/delete include/exclude
    inclusive/exclusive enable/disable enabled/disabled start/stop start/end begin/end beginning/end
    accept/reject accept/refuse approve/reject success/failure succeed/fail succeeds/fails pass/fail
    public/private internal/external internally/externally inside/outside above/below over/under up/down
    upper/lower uppercase/lowercase upward/downward top/bottom left/right leading/trailing prefix/suffix
    prepend/append front/back forward/backward forwards/backwards ascending/descending input/output
    import/export read/write reader/writer readable/unreadable push/pull send/receive sender/receiver
    upload/download client/server local/remote locally/remotely global/local static/dynamic
    statically/dynamically mutable/immutable synchronous/asynchronous sync/async serial/parallel
    sequential/parallel online/offline hot/cold warm/cold wet/dry hard/soft strict/lenient strong/weak
    stronger/weaker strengthen/weaken large/small larger/smaller largest/smallest big/small
    bigger/smaller biggest/smallest great/small greater/smaller greater/less greatest/least
    longer/shorter long/short longest/shortest wide/narrow wider/narrower deep/shallow deeper/shallower
    thick/thin heavy/light heavier/lighter high/low highest/lowest best/worst better/worse good/bad
    positive/negative plus/minus gain/loss win/lose profit/loss rise/fall rose/fell raise/lower
    grow/shrink expand/shrink expand/contract expand/collapse extend/shorten lengthen/shorten early/late
    earlier/later earliest/latest new/old newer/older newest/oldest young/old younger/older recent/old
    modern/ancient past/future previous/next preceding/following precede/follow always/never
    everyone/nobody everything/nothing all/none everywhere/nowhere often/rarely frequently/rarely
    frequent/rare common/rare common/uncommon usual/unusual usually/rarely required/optional
    mandatory/optional compulsory/voluntary necessary/unnecessary must/may safe/unsafe safe/dangerous
    secure/insecure valid/invalid legal/illegal correct/incorrect correct/wrong right/wrong
    possible/impossible visible/hidden visible/invisible show/hide shown/hidden shows/hides
    hidden/displayed known/unknown equal/unequal same/different similar/different identical/different
    alike/unlike with/without easy/difficult easy/hard easier/harder simple/complex simpler/complicated
    simple/complicated cheap/expensive cheaper/costlier rich/poor full/empty filled/empty
    complete/incomplete whole/partial fully/partially completely/partially connect/disconnect
    attach/detach lock/unlock locked/unlocked encrypt/decrypt encrypted/plaintext encode/decode
    compress/decompress pack/unpack install/uninstall mount/unmount load/unload wrap/unwrap bind/unbind
    subscribe/unsubscribe register/unregister serialize/deserialize acquire/release allocate/free
    create/destroy create/delete build/destroy keep/discard keep/delete keep/remove keep/drop
    retain/discard preserve/discard save/discard store/discard commit/rollback insert/delete push/pop
    enqueue/dequeue buy/sell bought/sold borrow/lend arrive/depart arrival/departure enter/leave
    enter/exit entry/exit join/leave union/intersection merge/split combine/separate together/apart
    single/multiple one/many singular/plural unique/duplicate ordered/unordered sorted/unsorted odd/even
    even/uneven horizontal/vertical horizontally/vertically row/column rows/columns parent/child
    ancestor/descendant master/slave primary/secondary major/minor majority/minority absolute/relative
    active/inactive active/passive alive/dead awake/asleep busy/idle running/stopped present/absent
    presence/absence available/unavailable reachable/unreachable used/unused managed/unmanaged
    signed/unsigned tracked/untracked staged/unstaged blocking/nonblocking agree/disagree
    agrees/disagrees like/dislike love/hate support/oppose supported/opposed favor/oppose
    encourage/discourage encouraged/discouraged recommend/discourage recommended/discouraged
    praise/criticize confirm/deny confirmed/denied prove/disprove proves/disproves improve/worsen
    improves/worsens improved/worsened improve/degrade improvement/deterioration help/hinder help/harm
    benefit/harm beneficial/harmful advantage/disadvantage advantages/disadvantages healthy/sick
    healthy/unhealthy cause/prevent causes/prevents activate/deactivate activates/inhibits
    activate/inhibit promote/inhibit promotes/inhibits stimulate/inhibit induce/suppress
    upregulate/downregulate upregulated/downregulated accelerate/slow accelerate/decelerate
    attack/defend victory/defeat won/lost guilty/innocent war/peace born/died birth/death male/female
    man/woman men/women boy/girl husband/wife father/mother son/daughter brother/sister king/queen
    north/south northern/southern east/west eastern/western day/night morning/evening am/pm
    summer/winter spring/autumn sunrise/sunset land/sea urban/rural domestic/foreign native/foreign
    natural/artificial manual/automatic manually/automatically explicit/implicit explicitly/implicitly
    direct/indirect directly/indirectly temporary/permanent temporarily/permanently volatile/persistent
    fixed/variable constant/variable abstract/concrete theoretical/practical formal/informal eager/lazy
    eagerly/lazily greedy/lazy shallow/deep verbose/quiet verbose/silent loud/quiet silent/noisy
    clean/dirty dense/sparse tight/loose sharp/blunt smooth/rough bright/dark light/dark black/white
    maior/menor mais/menos antes/depois aumenta/diminui aumentar/diminuir primeiro/último sempre/nunca
    verdadeiro/falso ativar/desativar ativado/desativado máximo/mínimo com/sem größer/kleiner
    höher/niedriger mehr/weniger vor/nach steigt/sinkt erste/letzte immer/nie wahr/falsch
    aktiviert/deaktiviert erlaubt/verboten mit/ohne plus/moins avant/après augmente/diminue
    premier/dernier toujours/jamais vrai/faux activé/désactivé avec/sans mayor/menor más/menos
    antes/después aumenta/disminuye primero/último siempre/nunca verdadero/falso activado/desactivado
    con/sin
"""
_POSITIONAL = "with without over under up down must may like before after more less above below first last"


def _table() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.split():
        one, other = map(stem, pair.split("/"))
        if one != other:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITES = _table()
"""A stem and the stems that mean the opposite."""

POSITIONAL = frozenset(map(stem, _POSITIONAL.split()))
"""Words that turn the meaning of the next word alone: they oppose each other only before the same one."""
