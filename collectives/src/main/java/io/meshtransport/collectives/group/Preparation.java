// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.collectives.exec.Arithmetic;
import io.meshtransport.collectives.exec.Blueprint;
import io.meshtransport.collectives.exec.Engine;
import io.meshtransport.collectives.exec.Local;
import io.meshtransport.collectives.exec.Peers;
import io.meshtransport.collectives.exec.Region;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Prepares operations: plans, gets memory, tells all ranks what is asked for and where peers may
 * write, and compares. One thread at a time, under {@link #lock}.
 */
final class Preparation {
  private static final byte[] NO_KEY = {};

  private final LocalRank member;
  private final Transport transport;
  private final Planning planning;
  private final Object lock = new Object();
  private int next;

  Preparation(LocalRank member, Transport transport, Planning planning) {
    this.member = member;
    this.transport = transport;
    this.planning = planning;
  }

  /** One prepares or splits at a time; the order must be the same on all ranks. */
  Object lock() {
    return lock;
  }

  /**
   * What one rank tells the others of an operation. Lengths (u16) before each: text, key of the
   * scratch memory, key of the results; then where results begin (u64).
   */
  private record Descriptor(String text, byte[] scratch, byte[] results, long resultsAt) {
    byte[] encode() {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      ByteBuffer out =
          ByteBuffer.allocate(3 * 2 + utf8.length + scratch.length + results.length + Long.BYTES);
      for (byte[] each : List.of(utf8, scratch, results)) {
        out.putShort((short) each.length).put(each);
      }
      return out.putLong(resultsAt).array();
    }

    /** Empty for what is none. */
    static Optional<Descriptor> decode(byte[] bytes) {
      try {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        return Optional.of(
            new Descriptor(
                new String(part(in), StandardCharsets.UTF_8), part(in), part(in), in.getLong()));
      } catch (BufferUnderflowException e) {
        return Optional.empty();
      }
    }

    private static byte[] part(ByteBuffer in) {
      byte[] part = new byte[in.getShort() & 0xFFFF];
      in.get(part);
      return part;
    }
  }

  /** Prepares an operation, as soon as all ranks do. */
  PreparedOperation prepare(OperationSpec spec, Region from, Region to, long timeoutNs)
      throws CollectiveException {
    synchronized (lock) {
      GroupMembership members = member.membership();
      Arithmetic arithmetic = spec.arithmetic(members.size());
      requireAligned(from, arithmetic);
      requireAligned(to, arithmetic);
      Blueprint blueprint = planning.blueprint(spec);
      List<RegisteredMemory> memories = new ArrayList<>();
      try {
        return prepare(spec, from, to, timeoutNs, arithmetic, blueprint, memories);
      } catch (CollectiveException | RuntimeException e) {
        memories.forEach(RegisteredMemory::close);
        failAll(spec, e);
        throw e;
      }
    }
  }

  /** The others wait for this rank. Does nothing if the group has failed already. */
  private void failAll(OperationSpec spec, Exception why) {
    GroupMembership members = member.membership();
    member.lock();
    try {
      member.fail(
          new Failure(
              Reason.RESOURCES,
              members.rank(),
              members.member(members.rank())
                  + " could not prepare "
                  + spec.text()
                  + ": "
                  + why.getMessage()));
    } finally {
      member.unlock();
    }
  }

  private static void requireAligned(Region region, Arithmetic arithmetic) {
    if (!region.isAligned(arithmetic.elementBytes())) {
      throw new IllegalArgumentException(
          "an element of "
              + arithmetic.elementBytes()
              + " bytes lies in two buffers of its memory: begin at a multiple of that");
    }
  }

  private PreparedOperation prepare(
      OperationSpec spec,
      Region from,
      Region to,
      long timeoutNs,
      Arithmetic arithmetic,
      Blueprint blueprint,
      List<RegisteredMemory> memories)
      throws CollectiveException {
    GroupMembership members = member.membership();
    int size = members.size();
    RegisteredMemory scratch =
        allocate(Math.max(1, blueprint.scratchBytes(members.rank(), arithmetic)), memories);
    byte[] results = blueprint.writesResults(members.rank()) ? key(to.memory(), memories) : NO_KEY;
    Peers peers = new Peers(new RemoteMemory[size], new RemoteMemory[size], new long[size]);
    Local local = new Local(from, to, new Region(scratch, 0, scratch.lengthBytes()));
    Descriptor mine = new Descriptor(spec.text(), scratch.remoteKey(), results, to.offsetBytes());
    member.lock();
    try {
      member.check();
      int id = nextId();
      member.engine().add(id, blueprint, arithmetic, local, peers);
      try {
        String what = "operation " + next + ", " + spec.text();
        Descriptor[] all =
            decode(member.rounds().exchange(RoundKind.PREPARE, mine.encode(), what, timeoutNs));
        next++;
        compare(all);
        open(peers, all);
        member.engine().open(id);
      } catch (CollectiveException | RuntimeException e) {
        member.engine().remove(id);
        throw e;
      }
      member.reports().name(id, spec.text());
      return new PreparedOperation(member, id, spec, blueprint.text(), memories);
    } finally {
      member.unlock();
    }
  }

  /** What a record of a round says that its rank does, with the operation that it prepares. */
  static String describe(byte[] record) {
    boolean isOperation = record.length > 0 && record[0] == RoundKind.PREPARE.ordinal();
    return Optional.of(record)
        .filter(each -> isOperation)
        .flatMap(each -> Descriptor.decode(Arrays.copyOfRange(each, 1, each.length)))
        .map(each -> "prepares " + each.text())
        .orElse(RoundKind.text(record));
  }

  /** The same on all ranks, as each counts the operations that it prepares. */
  private int nextId() {
    int id = next % Engine.MAX_OPERATIONS;
    if (member.engine().has(id)) {
      throw new IllegalStateException(
          "operation " + next + " needs the place of one that is not closed: close some");
    }
    return id;
  }

  private Descriptor[] decode(byte[][] all) throws CollectiveException {
    Descriptor[] decoded = new Descriptor[all.length];
    for (int rank = 0; rank < all.length; rank++) {
      Optional<Descriptor> theirs = Descriptor.decode(all[rank]);
      if (theirs.isEmpty()) {
        throw member.rounds().refused(rank);
      }
      decoded[rank] = theirs.get();
    }
    return decoded;
  }

  private void compare(Descriptor[] all) throws CollectiveException {
    GroupMembership members = member.membership();
    for (int rank = 0; rank < all.length; rank++) {
      String theirs = all[rank].text();
      String lowest = all[0].text();
      if (!theirs.equals(lowest)) {
        member.fail(
            new Failure(
                Reason.MISMATCH,
                rank,
                members.member(0)
                    + " asks for '"
                    + lowest
                    + "', and "
                    + members.member(rank)
                    + " for '"
                    + theirs
                    + "'. Every member must ask for the same, in the same order."));
        member.check();
      }
    }
  }

  private void open(Peers peers, Descriptor[] all) throws CollectiveException {
    for (int rank = 0; rank < all.length; rank++) {
      if (member.links().has(rank)) {
        Descriptor theirs = all[rank];
        peers.scratch()[rank] = remote(theirs.scratch());
        peers.results()[rank] = theirs.results().length == 0 ? null : remote(theirs.results());
        peers.resultsAt()[rank] = theirs.resultsAt();
      }
    }
  }

  private RemoteMemory remote(byte[] key) throws CollectiveException {
    try {
      return transport.remoteMemory(key);
    } catch (TransportException e) {
      throw GroupJoin.failure(Reason.RESOURCES, "A peer's memory: " + e.summary(), e);
    }
  }

  private RegisteredMemory allocate(long bytes, List<RegisteredMemory> memories)
      throws CollectiveException {
    try {
      RegisteredMemory memory = transport.allocate(bytes, Set.of(RemoteAccess.PUT));
      memories.add(memory);
      return memory;
    } catch (TransportException e) {
      throw GroupJoin.failure(
          Reason.RESOURCES, bytes + " bytes for an operation: " + e.summary(), e);
    }
  }

  /** Memory that peers may not write to is registered once more, so that they may. */
  private byte[] key(RegisteredMemory memory, List<RegisteredMemory> memories)
      throws CollectiveException {
    try {
      byte[] key = memory.remoteKey();
      if (transport.remoteMemory(key).allows(RemoteAccess.PUT)) {
        return key;
      }
    } catch (IllegalStateException e) {
      // It has no key at all, which registering it again shows to be the only reason.
    } catch (TransportException e) {
      throw GroupJoin.failure(Reason.RESOURCES, "The key of memory: " + e.summary(), e);
    }
    try {
      RegisteredMemory again = transport.register(memory.segments(), Set.of(RemoteAccess.PUT));
      memories.add(again);
      return again.remoteKey();
    } catch (TransportException e) {
      throw GroupJoin.failure(
          Reason.RESOURCES, "Registering memory for its peers: " + e.summary(), e);
    }
  }
}
