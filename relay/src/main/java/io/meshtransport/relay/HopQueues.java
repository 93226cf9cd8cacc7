// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What waits to leave over one hop. Each class is by itself: chunks of others by the cable that
 * they came over, in turns that are fair in bytes (deficit round robin, Shreedhar and Varghese
 * 1995), and in the first class this node's own flows, chunk by chunk. A class has a few sends
 * under way at once, so that what is sent next is decided late. What {@link OthersShare} bounds
 * waits for this node's own flows. Confined to the relay's thread.
 */
final class HopQueues {
  /** Sends of one class under way at once: the wire is busy while one of them is acknowledged. */
  static final int SENDS = 4;

  private final Hop hop;
  private final int quantumBytes;
  private final OthersShare share;

  /** The latest first: it is the one that a processor's cache still has. */
  private final ArrayDeque<Chunk> free = new ArrayDeque<>();

  private final ArrayDeque<ChunkSource> ready = new ArrayDeque<>();
  private final int[] underWay = new int[ChunkHeader.MAX_HOPS + 1];
  private final List<List<Source>> sources = new ArrayList<>();

  /** Of each class: which of its sources has its turn. */
  private final int[] turns = new int[ChunkHeader.MAX_HOPS + 1];

  /** Chunks of one class that came over one hop. */
  private static final class Source {
    final Hop from;
    final ChunkFifo chunks = new ChunkFifo();
    int deficitBytes;

    Source(Hop from) {
      this.from = from;
    }
  }

  /**
   * @param own chunks for what this node sends itself
   * @param share what chunks of others may take meanwhile
   */
  HopQueues(Hop hop, List<Chunk> own, int quantumBytes, OthersShare share) {
    this.hop = hop;
    this.quantumBytes = quantumBytes;
    this.share = share;
    free.addAll(own);
    for (int i = 0; i <= ChunkHeader.MAX_HOPS; i++) {
      sources.add(new ArrayList<>(0));
    }
  }

  /** Something of this node's own has chunks to send; it is not here yet. */
  void add(ChunkSource source) {
    ready.add(source);
    sendOwn();
  }

  /** A chunk goes on over this hop, in its next class. */
  void add(Chunk chunk, int hopClass) {
    sourceOf(chunk.home, hopClass).chunks.add(chunk);
    sendOthers(hopClass);
  }

  private Source sourceOf(Hop from, int hopClass) {
    List<Source> ofClass = sources.get(hopClass);
    for (int i = 0; i < ofClass.size(); i++) {
      if (ofClass.get(i).from == from) {
        return ofClass.get(i);
      }
    }
    Source added = new Source(from);
    ofClass.add(added);
    return added;
  }

  /** Something of this node's own is to send over another hop, or nothing more. */
  void remove(ChunkSource source) {
    if (ready.remove(source)) {
      source.leftQueue();
    }
  }

  /** A send of this hop is over. */
  void sent(Chunk chunk, int hopClass) {
    underWay[hopClass]--;
    if (chunk.home == hop && chunk.hopClass == 0) {
      free.push(chunk);
    }
    if (hopClass == 1) {
      share.ownArrived();
    }
    if (hop.isUp) {
      sendOwn();
      sendAllOthers(hopClass);
    }
  }

  /** Some time has passed: what waits for this node's own flows may have waited long enough. */
  void tick() {
    if (share.isAnyDelayed()) {
      sendAllOthers(ChunkHeader.MAX_HOPS);
    }
  }

  /** Of that class, and of those that had to wait for own chunks. */
  private void sendAllOthers(int hopClass) {
    if (!share.isAnyDelayed()) {
      sendOthers(hopClass);
      return;
    }
    share.delayed(false);
    // Those that have taken most cables first: what they have cost is lost with them.
    for (int each = ChunkHeader.MAX_HOPS; each > 1; each--) {
      sendOthers(each);
    }
  }

  private void sendOwn() {
    while (underWay[1] < SENDS && !free.isEmpty() && !ready.isEmpty()) {
      ChunkSource source = ready.poll();
      Chunk chunk = free.peek();
      // It may have another way by now, or nothing to say any more.
      if (source.firstHop() != hop || !source.fill(chunk)) {
        leave(source);
        continue;
      }
      free.remove();
      underWay[1]++;
      share.ownSent(chunk.lengthBytes);
      hop.send(chunk, 1);
      if (source.hasMore()) {
        ready.add(source);
      } else {
        source.leftQueue();
      }
    }
  }

  private void leave(ChunkSource source) {
    source.leftQueue();
    source.requeue();
  }

  private void sendOthers(int hopClass) {
    List<Source> ofClass = sources.get(hopClass);
    int idle = 0;
    while (underWay[hopClass] < SENDS && idle < ofClass.size()) {
      Source source = ofClass.get(turns[hopClass]);
      Chunk next = source.chunks.peek();
      if (next == null) {
        source.deficitBytes = 0;
        if (source.from.isUp) {
          passTurn(hopClass);
          idle++;
        } else {
          forget(hopClass);
        }
        continue;
      }
      idle = 0;
      if (!share.mayPass(!ready.isEmpty(), underWay[1])) {
        share.delayed(true);
        return;
      }
      if (source.deficitBytes < next.lengthBytes) {
        source.deficitBytes += quantumBytes;
        passTurn(hopClass);
        continue;
      }
      source.deficitBytes -= next.lengthBytes;
      source.chunks.poll();
      underWay[hopClass]++;
      share.passed(next.lengthBytes);
      hop.send(next, hopClass);
    }
  }

  /** It is the next one's turn. */
  private void passTurn(int hopClass) {
    turns[hopClass] = (turns[hopClass] + 1) % sources.get(hopClass).size();
  }

  /** The hop of the one whose turn it is has ended: it is the next one's turn, none is skipped. */
  private void forget(int hopClass) {
    List<Source> ofClass = sources.get(hopClass);
    ofClass.remove(turns[hopClass]);
    turns[hopClass] %= Math.max(1, ofClass.size());
  }

  /** The hop is down: what waits here goes nowhere; returns the chunks of others. */
  List<Chunk> clear() {
    List<Chunk> dropped = new ArrayList<>();
    for (List<Source> ofClass : sources) {
      for (Source source : ofClass) {
        for (Chunk chunk = source.chunks.poll(); chunk != null; chunk = source.chunks.poll()) {
          dropped.add(chunk);
        }
      }
      ofClass.clear();
    }
    Arrays.fill(turns, 0);
    while (!ready.isEmpty()) {
      leave(ready.poll());
    }
    return dropped;
  }
}
