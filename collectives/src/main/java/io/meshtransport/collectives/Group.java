// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Nodes that run collective operations together. Each has a rank, 0 to {@link #size()} - 1, and
 * every member calls the same operations in the same order.
 *
 * <p>Operations are prepared once and run many times ({@link Collective}); {@link OneOff} has the
 * forms for a single time, which prepare at the first call and copy. Preparing is collective, too:
 * it waits until every rank has prepared, and where two ranks ask for different things, it fails on
 * every rank with both texts. Memory may be any of the group's transport; it must stay open until
 * the operation is closed. Counts are elements of the type; they are equal on every rank. "In
 * place" means that the memory that is sent from is where the result goes.
 *
 * <p>Sums are equal to the bit on every rank, and from run to run with the same plan.
 *
 * <p>A rank that dies, aborts, or asks for something else fails the group on every rank, with a
 * {@link CollectiveException} that names it; {@link #without} goes on with the others. So does a
 * cable that is cut, unless its connection goes on over a relay; {@link #rejoin} goes on over the
 * cables that are left.
 *
 * <p>Any thread may call it. Several operations may be outstanding; operations are prepared by one
 * thread at a time, in the same order on each rank. Created by {@link #join}, closed by its
 * creator.
 */
public interface Group extends OneOff, AutoCloseable {
  /**
   * Joins a group over the cables of a mesh: each member connects to those that it has a cable to,
   * and operations go hop by hop. If the transport has an overlay, a connection whose cables are
   * all cut goes on over a relay. Where cables do not join all members, connections go over relays,
   * if the transport has an overlay, and {@link #describe} says so.
   *
   * @param mesh open for as long as the group
   * @param spec the same at every member
   * @param timeout for all members to be there. A member that ends before the others are connected
   *     to it is awaited for all of it: started again within that time, it takes part. With 0 or
   *     less a group of more than one times out, as in {@link #split}, {@link #without} and {@link
   *     #rejoin}
   * @return the caller's to close
   * @throws CollectiveException TIMED_OUT with the members that are missing, and what this node has
   *     found wrong meanwhile; RANK_LOST, at once, for a member that ends once it is connected;
   *     MISMATCH where members have different specs, with both; UNREACHABLE if no way leads to a
   *     member; CONFIGURATION if two living nodes have its name, or this node's, with where each
   *     is, and no verdict within 2.5 s says that one is the earlier life of the other: a retry
   *     helps once each has a name of its own
   */
  static Group join(Mesh mesh, GroupSpec spec, Duration timeout) throws CollectiveException {
    return provider().join(mesh, spec, timeout);
  }

  /**
   * Joins a group of members that exchange their handles by other means than a mesh. Each connects
   * to those that it shares a subnet with.
   *
   * @param transport open for as long as the group
   * @param rendezvous leads to the other members, now and when {@link #without} joins anew
   * @return the caller's to close
   * @throws CollectiveException as {@link #join(Mesh, GroupSpec, Duration)}
   */
  static Group join(Transport transport, GroupSpec spec, Rendezvous rendezvous, Duration timeout)
      throws CollectiveException {
    return provider().join(transport, spec, rendezvous, timeout);
  }

  private static GroupProvider provider() {
    return ServiceLoader.load(GroupProvider.class, Group.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("No GroupProvider beside " + Group.class.getName()));
  }

  /** The group's name, as its spec has it. */
  String name();

  /** This member's rank. */
  int rank();

  /** Number of members. */
  int size();

  /** The members' names, by rank. */
  List<String> names();

  /** 0, and 1 more for each {@link #without} and {@link #rejoin} that led to this group. */
  int epoch();

  /** The members, the links between them with rate and latency, and how operations are planned. */
  String describe();

  /** Prepares a barrier: complete on no rank before every rank has started it. */
  Collective barrier(CollectiveOptions options) throws CollectiveException;

  /** As the long form, in place. */
  default Collective allReduce(
      RegisteredMemory memory,
      long offsetBytes,
      long count,
      DataType type,
      Reduction op,
      CollectiveOptions options)
      throws CollectiveException {
    return allReduce(memory, offsetBytes, memory, offsetBytes, count, type, op, options);
  }

  /**
   * Prepares a reduction whose result every rank gets.
   *
   * @param from this rank's elements
   * @param to where the result goes; the same memory and offset, or no byte of the same
   * @param count elements of each rank, 0 or more
   * @throws IllegalArgumentException for a range outside of its memory, for ranges that overlap, or
   *     for a type that the op does not have
   */
  Collective allReduce(
      RegisteredMemory from,
      long fromOffsetBytes,
      RegisteredMemory to,
      long toOffsetBytes,
      long count,
      DataType type,
      Reduction op,
      CollectiveOptions options)
      throws CollectiveException;

  /**
   * Prepares a reduction whose result one rank gets.
   *
   * @param to used at the root only; may be {@code from}, in place, on every rank
   */
  Collective reduce(
      RegisteredMemory from,
      long fromOffsetBytes,
      RegisteredMemory to,
      long toOffsetBytes,
      long count,
      DataType type,
      Reduction op,
      int root,
      CollectiveOptions options)
      throws CollectiveException;

  /**
   * Prepares a broadcast.
   *
   * @param memory sent from at the root, written at the others
   */
  Collective broadcast(
      RegisteredMemory memory,
      long offsetBytes,
      long count,
      DataType type,
      int root,
      CollectiveOptions options)
      throws CollectiveException;

  /**
   * Prepares an all-gather: the elements of rank {@code r} go to block {@code r} of every rank.
   *
   * @param from count elements; in place if it is this rank's block of {@code to}
   * @param to size x count elements
   */
  Collective allGather(
      RegisteredMemory from,
      long fromOffsetBytes,
      RegisteredMemory to,
      long toOffsetBytes,
      long count,
      DataType type,
      CollectiveOptions options)
      throws CollectiveException;

  /**
   * Prepares a reduction of which rank {@code r} gets block {@code r}.
   *
   * @param from size x count elements
   * @param to count elements; in place if it is this rank's block of {@code from}
   * @param count elements of a block
   */
  Collective reduceScatter(
      RegisteredMemory from,
      long fromOffsetBytes,
      RegisteredMemory to,
      long toOffsetBytes,
      long count,
      DataType type,
      Reduction op,
      CollectiveOptions options)
      throws CollectiveException;

  /**
   * Prepares an exchange: block {@code d} of rank {@code s} goes to block {@code s} of rank {@code
   * d}. Not in place.
   *
   * @param from size x count elements
   * @param to size x count elements
   * @param count elements of a block
   */
  Collective allToAll(
      RegisteredMemory from,
      long fromOffsetBytes,
      RegisteredMemory to,
      long toOffsetBytes,
      long count,
      DataType type,
      CollectiveOptions options)
      throws CollectiveException;

  /**
   * Prepares what one rank sends to another. Every rank prepares and starts it, since ranks between
   * the two pass it on; at those that are neither, memory is not used.
   *
   * @param memory sent from at the source, written at the destination
   */
  Collective sendReceive(
      RegisteredMemory memory,
      long offsetBytes,
      long count,
      DataType type,
      int source,
      int destination,
      CollectiveOptions options)
      throws CollectiveException;

  /**
   * Memory for operations, registered so that peers may write results there. Other memory works as
   * well, and is registered a second time by each operation.
   *
   * @return the caller's to close, after the operations that use it
   * @throws CollectiveException RESOURCES if there is not enough
   */
  RegisteredMemory allocate(long lengthBytes) throws CollectiveException;

  /**
   * Divides the group: members of one color are a new group, ranked by key, then by rank. Every
   * rank calls it. The new groups have connections of their own, and this group goes on.
   *
   * @param color 0 or more
   * @return the caller's to close, before this group
   * @throws CollectiveException as {@link #rejoin}
   */
  Group split(int color, int key, Duration timeout) throws CollectiveException;

  /**
   * Goes on without a rank: every other rank calls it, usually when the group has failed with that
   * rank lost, and gets a new group of those that are left, ranked in the same order, with an epoch
   * that is 1 higher. This group fails if it has not, and is to be closed as well.
   *
   * @param rank other than this one
   * @return the caller's to close
   * @throws CollectiveException as {@link #rejoin}, for those that are left: where one of them is
   *     gone, too, only a new {@link #join(Mesh, GroupSpec, Duration)} goes on
   */
  Group without(int rank, Duration timeout) throws CollectiveException;

  /**
   * Goes on with the same members over the cables that there are now: every rank calls it, after
   * LINK_LOST, or when cables have come, and gets a new group with an epoch that is 1 higher, whose
   * links are measured and planned for anew. This group fails if it has not, and is to be closed as
   * well.
   *
   * @return the caller's to close
   * @throws CollectiveException as {@link #join(Mesh, GroupSpec, Duration)}. RANK_LOST, as soon as
   *     the mesh says that a member has left or that its process is gone, for that member's rank in
   *     the group to be: a process that is started again does not come back into it, since it joins
   *     as another, and no retry helps. One that is silent, stuck or out of reach is awaited for
   *     all of the time, also once the mesh has forgotten it, and so is every member without a mesh
   */
  Group rejoin(Duration timeout) throws CollectiveException;

  /**
   * Fails the group on every rank: all operations, also later ones, fail with ABORTED, this rank
   * and the text. Does nothing if it has failed.
   */
  void abort(String text);

  /**
   * Leaves the group. Operations that are running on other ranks fail there, with ABORTED and this
   * rank, unless this rank has done its part. Safe to call twice.
   */
  @Override
  void close();
}
