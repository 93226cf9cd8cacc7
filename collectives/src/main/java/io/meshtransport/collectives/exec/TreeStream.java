// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import java.util.TreeSet;

/**
 * One stream of an operation at one rank.
 *
 * <p>All counts run on over all starts, so that a neighbour may be a run ahead: a chunk that
 * arrives early waits in its ring. {@code target} says how many chunks this rank's own starts
 * allow.
 */
final class TreeStream {
  private final Links links;
  private final int operation;
  private final int index;
  private final StreamPlan plan;
  private final Arithmetic arithmetic;
  private final Local local;
  private final Peers peers;
  private final Fold fold;
  private final int parent;
  private final int[] children;

  /** To the parent, and to each child. */
  private final int upLink;

  private final int[] downLinks;
  private final boolean isRoot;
  private final int chunkElements;
  private final long chunks;
  private final int ring;
  private final boolean needsCredits;

  /** Of the parent: where this rank's ring is, and how long a slot and an element of it are. */
  private final long parentRing;

  private final int parentSlotBytes;
  private final int upBytes;

  private long target;
  private long starts;

  // Up: by child, what has arrived; then what was folded, and sent to the parent.
  private final long[] arrived;
  private final int[] owedCredits;
  private long folded;
  private long credits;
  private long upDone;

  // Down: what has arrived from the parent; by child, what was sent, and its starts.
  private final long[] sent;
  private final long[] ready;
  private long downArrived;
  private long copied;
  private int owedReady;
  private int outstanding;

  TreeStream(
      Links links,
      int operation,
      int index,
      TreeProgram program,
      int rank,
      Arithmetic arithmetic,
      Local local,
      Peers peers) {
    this.links = links;
    this.operation = operation;
    this.index = index;
    this.plan = program.streams().get(index);
    this.arithmetic = arithmetic;
    this.local = local;
    this.peers = peers;
    parent = plan.parents()[rank];
    children = plan.children(rank);
    isRoot = plan.isRoot(rank);
    upLink = isRoot ? parent : links.link(parent, index);
    downLinks = new int[children.length];
    for (int i = 0; i < children.length; i++) {
      downLinks[i] = links.link(children[i], index);
    }
    chunkElements = program.chunkElements(plan);
    chunks = program.chunks(plan);
    ring = program.ringSlots(plan);
    needsCredits = program.needsCredits(plan);
    credits = ring;
    arrived = new long[children.length];
    owedCredits = new int[children.length];
    sent = new long[children.length];
    ready = new long[children.length];
    boolean sendsUp = plan.goesUp() && !isRoot;
    parentRing = sendsUp ? program.ringBytes(index, parent, rank, arithmetic) : 0;
    parentSlotBytes = sendsUp ? program.slotBytes(plan, rank, arithmetic) : 0;
    upBytes = plan.isRaw(rank) ? arithmetic.elementBytes() : arithmetic.partialBytes();
    fold = plan.goesUp() ? new Fold(program, index, rank, arithmetic, local, children) : null;
  }

  void start() {
    starts++;
    target += chunks;
    if (!needsCredits) {
      credits = ring;
    }
    if (plan.goesDown() && !plan.goesUp() && !isRoot && chunks > 0) {
      owedReady++;
    }
  }

  boolean isDone() {
    if (outstanding > 0 || owedReady > 0) {
      return false;
    }
    if (plan.goesUp() && folded < target) {
      return false;
    }
    if (!plan.goesDown()) {
      return true;
    }
    for (long each : sent) {
      if (each < target) {
        return false;
      }
    }
    return isRoot ? plan.goesUp() || copied == target : downArrived >= target;
  }

  /** Counts a notice, if it may come from there now: a peer may send any bits. */
  boolean notice(int from, int kind, int count) {
    return switch (kind) {
      case Notice.DOWN -> down(from);
      case Notice.CREDIT -> credit(from, count);
      case Notice.UP -> up(child(from));
      default -> ready(child(from));
    };
  }

  /** Nothing comes down before this rank has sent its part up, or said that it is ready. */
  private boolean down(int from) {
    long allowed = plan.goesUp() ? folded : (starts - owedReady) * chunks;
    if (!plan.goesDown() || from != parent || downArrived >= allowed) {
      return false;
    }
    downArrived++;
    return true;
  }

  private boolean credit(int from, int count) {
    if (!needsCredits || !plan.goesUp() || from != parent || credits + count > ring) {
      return false;
    }
    credits += count;
    return true;
  }

  /** A child has as many slots as its ring, and those that were folded again. */
  private boolean up(int child) {
    if (!plan.goesUp() || child < 0 || arrived[child] - folded >= ring) {
      return false;
    }
    arrived[child]++;
    return true;
  }

  /** A child is ready for the next run once it has all of those before. */
  private boolean ready(int child) {
    if (plan.goesUp() || child < 0 || ready[child] * chunks > sent[child]) {
      return false;
    }
    ready[child]++;
    return true;
  }

  /** -1 if it is none. */
  private int child(int from) {
    for (int i = 0; i < children.length; i++) {
      if (children[i] == from) {
        return i;
      }
    }
    return -1;
  }

  void putDone(int way) {
    outstanding--;
    if (way == PutTag.UP) {
      if (!fold.hasPartials() && children.length > 0) {
        owe(0);
      }
      upDone++;
    }
  }

  void advance() {
    if (plan.goesUp()) {
      advanceUp();
    }
    if (plan.goesDown()) {
      advanceDown();
    }
  }

  private int elements(long chunk) {
    long before = chunk % chunks * chunkElements;
    return (int) Math.min(chunkElements, plan.elements() - before);
  }

  /** Where a chunk begins among the elements of its stream. */
  private long chunkBytes(long chunk) {
    return chunk % chunks * chunkElements * arithmetic.elementBytes();
  }

  private void advanceUp() {
    while (folded < target && hasOperands() && (isRoot || canSendUp())) {
      int count = elements(folded);
      fold.reduce(
          folded,
          plan.fromBytes() + chunkBytes(folded),
          plan.toBytes() + chunkBytes(folded),
          count);
      if (isRoot) {
        fold.finish(folded, plan.toBytes() + chunkBytes(folded), count);
      } else {
        sendUp(count);
      }
      folded++;
      // A partial result in the first child's slot keeps that until it is at the parent.
      boolean keepsFirst = !isRoot && !fold.hasPartials();
      for (int i = keepsFirst ? 1 : 0; i < children.length; i++) {
        owe(i);
      }
    }
    payCredits();
  }

  private boolean hasOperands() {
    for (long each : arrived) {
      if (each <= folded) {
        return false;
      }
    }
    return true;
  }

  private boolean canSendUp() {
    return credits > 0
        && links.canPut(upLink)
        && (!fold.hasPartials() || folded - upDone < TreeProgram.PARTIAL_SLOTS);
  }

  private void sendUp(int count) {
    Region from = fold.result();
    links.add(
        from.memory(),
        from.at(fold.resultAt()),
        (long) count * upBytes,
        peers.scratch()[parent],
        parentRing + folded % ring * parentSlotBytes);
    links.put(
        upLink, Notice.of(Notice.UP, 0, index, operation), PutTag.of(operation, index, PutTag.UP));
    credits--;
    outstanding++;
  }

  private void owe(int child) {
    owedCredits[child] += needsCredits ? 1 : 0;
  }

  /** In batches of a quarter of a ring: what is owed less than that, no child waits for. */
  private void payCredits() {
    for (int i = 0; i < children.length; i++) {
      if (owedCredits[i] >= (ring + 3) / 4 && links.canPut(downLinks[i])) {
        int count = Math.min(owedCredits[i], Notice.MAX_COUNT);
        note(downLinks[i], Notice.CREDIT, count);
        owedCredits[i] -= count;
      }
    }
  }

  private void note(int link, int kind, int count) {
    links.put(
        link, Notice.of(kind, count, index, operation), PutTag.of(operation, index, PutTag.NOTE));
    outstanding++;
  }

  private void advanceDown() {
    if (owedReady > 0 && links.canPut(upLink)) {
      note(upLink, Notice.READY, 0);
      owedReady--;
    }
    long available = isRoot ? (plan.goesUp() ? folded : target) : downArrived;
    for (int i = 0; i < children.length; i++) {
      long until = plan.goesUp() ? available : Math.min(available, ready[i] * chunks);
      while (sent[i] < until && links.canPut(downLinks[i])) {
        sendDown(i, sent[i]++);
      }
    }
    if (isRoot && !plan.goesUp()) {
      copyOwn();
    }
  }

  private void sendDown(int child, long chunk) {
    int to = children[child];
    boolean isOwn = isRoot && !plan.goesUp();
    Region from = isOwn ? local.from() : local.to();
    links.add(
        from.memory(),
        from.at((isOwn ? plan.fromBytes() : plan.toBytes()) + chunkBytes(chunk)),
        (long) elements(chunk) * arithmetic.elementBytes(),
        peers.results()[to],
        peers.resultsAt()[to] + plan.toBytes() + chunkBytes(chunk));
    links.put(
        downLinks[child],
        Notice.of(Notice.DOWN, 0, index, operation),
        PutTag.of(operation, index, PutTag.DOWN));
    outstanding++;
  }

  /** What the root has to send is a part of its result as well. */
  private void copyOwn() {
    while (copied < target) {
      Arithmetic.copy(
          local.to(),
          plan.toBytes() + chunkBytes(copied),
          local.from(),
          plan.fromBytes() + chunkBytes(copied),
          (long) elements(copied) * arithmetic.elementBytes());
      copied++;
    }
  }

  /** Adds the neighbours that this rank waits for; which puts have not ended, it does not know. */
  void missing(TreeSet<Integer> ranks) {
    boolean isSending = outstanding > 0;
    for (int i = 0; i < children.length; i++) {
      boolean lacksUp = plan.goesUp() && arrived[i] < target;
      boolean lacksReady = plan.goesDown() && !plan.goesUp() && ready[i] * chunks < target;
      boolean isFull = plan.goesDown() && sent[i] < target && !links.canPut(downLinks[i]);
      if (lacksUp || lacksReady || isFull || isSending) {
        ranks.add(children[i]);
      }
    }
    boolean lacksDown = plan.goesDown() && downArrived < target;
    boolean lacksCredit = plan.goesUp() && folded < target && hasOperands();
    if (!isRoot && (lacksDown || lacksCredit || isSending)) {
      ranks.add(parent);
    }
  }
}
