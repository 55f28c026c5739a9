import time

import numpy as np


def test_writing_an_episode_costs_little(store, make_trajectory):
    episodes = [make_trajectory(f"e{index}", seed=index) for index in range(400)]
    seconds = []
    for start in range(0, 400, 50):
        began = time.thread_time()
        for trajectory in episodes[start : start + 50]:
            store.write_episode(trajectory, 0)
        seconds.append((time.thread_time() - began) / 50)
    assert np.min(seconds) < 1e-3  # of processor time; measured 0.2 ms
