"""Step through one episode: what the policy reads, what it says, and what each turn earned."""

from agentgym import GameReply, Turn, load_suite, make
from agentgym.policies.by_name import load
from agentgym.rollout import play_episode


def show(role: str, turn: Turn, reply: GameReply) -> None:
    """Print one turn as soon as it is played; set a breakpoint here to stop after each."""
    for message in turn.messages:
        print(f"[{message['role']}] {message['content']}")
    print(f"[{role}, turn {turn.index}] {turn.text}")


def main() -> None:
    """Play one look-up task with the demonstrator; any other policy is loaded by its name in the same way."""
    env = make("agentgym/Lookup-v0")
    task = load_suite("tools/lookup").tasks("test")[0]
    record = play_episode(env, load("demo", "tools/lookup"), task, seed=1, on_turn=show)
    env.close()
    print(f"{record.outcome} after {len(record.turns)} turns, reward {record.total_reward}, success {record.success}")
    for event in record.events:
        print(f"turn {event.turn} earned {event.value} for {event.component}")


if __name__ == "__main__":
    main()
