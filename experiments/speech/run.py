"""Train a small network like DeepSpeech2 on words spoken by espeak-ng, within a bound of memory.

    python -m experiments.speech.run          # some minutes of one core; needs espeak-ng
    python -m experiments.speech.run --keep   # keeps the results, which `experiments.speech.draw` draws

Out: after each epoch the loss, and the label error on words by voices and pitches (and a speed) that were not
trained with: the number of letters wrong, for each letter of the words.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import checkpoint
from experiments import common
from experiments.speech import net, spoken
from tensorlib.training import adam, cosine

BATCH, RATE = 16, 5e-3
MIB = 2**20


def heard() -> tuple[list[spoken.Utterance], list[spoken.Utterance]]:
    """Return the utterances to train with, and those to test with, which share no voice, pitch or speed."""
    trained = spoken.utterances(spoken.VOICES, spoken.PITCHES, spoken.SPEEDS)
    tested = spoken.utterances(spoken.HELD_OUT_VOICES, spoken.HELD_OUT_PITCHES, spoken.HELD_OUT_SPEEDS)
    return trained, tested


def training(
    data: Any, tested: Any, words: list[str], epochs: int, memory: int, model: net.Net
) -> tuple[net.Net, list[dict[str, float]]]:
    """Return the trained weights; and loss, label error and seconds of the processor after each epoch."""
    features, letters, counts = data
    gradient, state, rows = checkpoint.value_and_grad(net.loss, engine="c", memory=memory), None, []
    rng, step, steps = np.random.default_rng(0), 0, epochs * (len(features) // BATCH)
    start = time.process_time()
    for epoch in range(1, epochs + 1):
        order, losses = rng.permutation(len(features)), []
        for first in range(0, len(order) - BATCH + 1, BATCH):
            some = order[first : first + BATCH]
            value, found = gradient(model, features[some], letters[some], counts[some])
            model, state = adam(model, found, state, rate=cosine(RATE, step, steps, RATE / 20))
            losses.append(float(value))
            step += 1
        error = net.label_error(model, tested, words)
        row = {"epoch": epoch, "loss": sum(losses) / len(losses), "error": error}
        rows.append({**row, "seconds": time.process_time() - start})
        print(f"epoch {epoch:2}: loss {row['loss']:.3f}, label error {100 * error:.1f}%", flush=True)
    return model, rows


def main() -> None:
    """Train, and print what the network hears."""
    options = common.keepable(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    options.add_argument("--epochs", type=common.natural, default=16)
    options.add_argument("--mib", type=common.natural, default=4, help="memory for each gradient, in MiB")
    given = options.parse_args()
    trained, tested = heard()
    data, (features, _, _) = spoken.data(trained), spoken.data(tested)
    words = [each.word for each in tested]
    print(f"{len(trained)} utterances to train with, {len(tested)} to test with, within {given.mib} MiB")
    before = common.fresh_peak()
    model, rows = training(data, features, words, given.epochs, given.mib * MIB, net.weights())
    grown = (common.peak() - before) / MIB
    print(f"{rows[-1]['seconds']:.0f} s of the processor; the process grew by {grown:.0f} MiB")
    found = net.decoded(net.log_probabilities(model, features))
    right = sum(a == b for a, b in zip(found, words, strict=True))
    wrong = [f"{b} for {a}" for a, b in zip(words, found, strict=True) if a != b]
    print(f"{right} of {len(words)} words right; heard {', '.join(wrong[:12]) or 'all right'}")
    if given.keep:
        common.save("speech", "c", rows=rows, right=right, words=len(words), mib=given.mib, grown=grown)


if __name__ == "__main__":
    main()
