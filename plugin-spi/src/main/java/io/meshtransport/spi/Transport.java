// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * One node's end of the mesh: its NICs, its registered memory, its listeners and channels. Created
 * by {@link #open}; closed by whoever opened it, which closes everything made from it.
 *
 * <p>Any thread may call any method here. Channels have rules of their own.
 */
public interface Transport extends AutoCloseable {
  /** Requests that can be outstanding on one channel; one more is {@link Channel#BUSY}. */
  int MAX_REQUESTS = 64;

  /** Buffers of one grouped receive. */
  int MAX_GROUP = 8;

  /** Largest message in bytes, 1 TiB, as ncclNet allows. */
  long MAX_MESSAGE_BYTES = 1L << 40;

  /** Where allocated memory begins: at multiples of a page of x86-64 and aarch64. */
  int ALLOCATION_ALIGNMENT_BYTES = 4096;

  /**
   * TCP port at which nodes are asked who they are, where nothing else is set. RoCE v2 has the same
   * number in UDP (IANA: roce), so that one number opens a firewall for both.
   */
  int DEFAULT_HANDSHAKE_PORT = 4791;

  /**
   * Opens the transport found on the class path with settings from the environment and system
   * properties.
   */
  static Transport open() throws TransportException {
    return open(Map.of());
  }

  /**
   * Opens the transport found on the class path: where this interface was loaded from, or else
   * where the thread's context class loader looks.
   *
   * @param settings names as in the environment (MESH_TIMEOUT_MS ...); stronger than system
   *     properties and the environment
   * @return the caller's to close
   * @throws TransportException CONFIGURATION for a bad setting; NO_NIC if no NIC has an address,
   *     with the reason for each port (one that has an address and no carrier is no failure: it is
   *     used as soon as it has one); UNAVAILABLE if there is no implementation or the chosen verbs
   *     provider does not work here
   */
  static Transport open(Map<String, String> settings) throws TransportException {
    TransportProvider found =
        installed()
            .orElseThrow(
                () ->
                    new TransportException(
                        TransportException.Reason.UNAVAILABLE,
                        "No TransportProvider on the class path. Add the artifact"
                            + " io.meshtransport:mesh-transport."));
    return found.open(settings);
  }

  /**
   * The implementation beside this interface, whoever's thread this is: in a container its context
   * class loader is often the container's, which knows nothing of us. Else the one that the context
   * class loader has, for this interface may be the container's and the implementation an
   * application's.
   */
  private static Optional<TransportProvider> installed() {
    return ServiceLoader.load(TransportProvider.class, Transport.class.getClassLoader())
        .findFirst()
        .or(() -> ServiceLoader.load(TransportProvider.class).findFirst());
  }

  /**
   * The NICs peers are reached through, as the host has them now, best first: with an address, and
   * with or without a carrier ({@link NicDescription#hasCarrier}). The transport follows its host:
   * what comes, gets another address or a carrier is used by the next {@link #connect}, {@link
   * Listener#accept} and {@link #lookup}, within a second; what is gone ends only its own channels.
   * So this can become empty, and full again.
   */
  List<NicDescription> nics();

  /** Tells a listener of every change of {@link #nics()} from now on, until it is removed. */
  default void addNicListener(NicListener listener) {
    // For transports whose NICs never change.
  }

  /** Tells a listener no more; one call may be under way. */
  default void removeNicListener(NicListener listener) {
    // For transports whose NICs never change.
  }

  /**
   * Registers a direct buffer, whole, whatever its position and limit. Registration is for all NICs
   * and channels of this transport; do it once and keep it, for it costs far more than a message.
   *
   * @param buffer direct; the content stays the caller's, except while a request uses it
   * @return the caller's to close
   * @throws IllegalArgumentException for a heap, empty or read-only buffer
   * @throws TransportException NO_RESOURCES when the system's limit of locked memory or the
   *     device's limit is reached
   */
  RegisteredMemory register(ByteBuffer buffer) throws TransportException;

  /**
   * Registers several direct buffers as one memory in which each begins where the one before it
   * ends: how a message of more than 2^31 - 1 bytes finds room. RDMA hardware needs them to be
   * neighbours in memory, software does not.
   *
   * @throws IllegalArgumentException as for one buffer, and for buffers that are no neighbours
   *     where they must be
   */
  default RegisteredMemory register(List<ByteBuffer> segments) throws TransportException {
    return register(segments, Set.of());
  }

  /**
   * As {@link #register(List)}, for memory that peers may also use by themselves.
   *
   * @param access what peers that are given its {@link RegisteredMemory#remoteKey()} may do; empty
   *     for none, and then it has no key
   */
  RegisteredMemory register(List<ByteBuffer> segments, Set<RemoteAccess> access)
      throws TransportException;

  /**
   * Allocates memory that is registered already, for frameworks that need much of it, or often: it
   * comes from a pool, so that most allocations cost no registration, and closing it gives it back
   * there. Begins at a multiple of {@value #ALLOCATION_ALIGNMENT_BYTES} bytes; in buffers of at
   * most 1 GiB, which are neighbours in memory. Its content is whatever was there before.
   *
   * <p>Closing it while somebody still reads or writes its buffers is a mistake that nobody
   * notices: the next owner of the memory sees it. It has no {@link RegisteredMemory#remoteKey()},
   * for a key would outlive the allocation; {@link #allocate(long, Set)} gives one.
   *
   * @param lengthBytes 1 to {@link #MAX_MESSAGE_BYTES}
   * @return the caller's to close
   * @throws IllegalArgumentException for another length
   * @throws TransportException NO_RESOURCES when memory or the limit of locked memory is used up;
   *     the text says which, and a retry helps once something is given back
   */
  default RegisteredMemory allocate(long lengthBytes) throws TransportException {
    return allocate(lengthBytes, Set.of());
  }

  /**
   * As {@link #allocate(long)}, for memory that peers may also use by themselves.
   *
   * @param access as for {@link #register(List, Set)}; unless empty, the memory comes from no pool
   *     and goes back to none, so that its key is of no use once it is closed
   */
  RegisteredMemory allocate(long lengthBytes, Set<RemoteAccess> access) throws TransportException;

  /**
   * Gives up what the transport has registered of a buffer by itself ({@link
   * SendChannel#isend(ByteBuffer, int, long)}), now or with the last request that uses it. To be
   * called before memory goes away by other means than the garbage collector: unmapped, freed by
   * hand, or cut short in its file. Nothing happens for buffers it knows nothing of.
   */
  void deregister(ByteBuffer buffer);

  /**
   * What is registered, and how the cache does. Costs a walk over all memory; not for each send.
   */
  MemoryStatistics memoryStatistics();

  /**
   * Reads the key of a peer's memory, for {@link SendChannel#iput} and {@link SendChannel#iget} on
   * any channel to that peer. Asks nobody.
   *
   * @param key what {@link RegisteredMemory#remoteKey()} gave the peer
   * @throws TransportException BAD_HANDLE if these bytes are no key, with the place where they go
   *     wrong; a retry with the same bytes cannot help
   */
  RemoteMemory remoteMemory(byte[] key) throws TransportException;

  /**
   * Starts listening for channels from peers. Never blocks.
   *
   * @return the caller's to close
   */
  Listener listen() throws TransportException;

  /**
   * Starts connecting to a peer's listener: picks the local NIC on a subnet shared with it, and
   * proves it by a handshake over that cable. Where there are several, the next is tried as well
   * when that one has failed or has not succeeded within 250 ms, and the first that stands is
   * taken. Never blocks; ends, one way or the other, within MESH_TIMEOUT_MS.
   *
   * @param handle what {@link Listener#handle()} gave the peer; with MESH_COMPAT=nccl-mesh also the
   *     handle of a C plugin
   * @throws TransportException BAD_HANDLE, at once, if these bytes are no handle, with the place
   *     where they go wrong. What fails later is thrown by {@link ChannelFuture#get()}: NO_ROUTE
   *     (where it is for want of a carrier, {@link TransportException#retryHelps} says so),
   *     PEER_UNREACHABLE, WRONG_PEER, REFUSED, TIMED_OUT. Its cause is a {@link
   *     java.net.ConnectException} if at every address of the peer that was tried the host has said
   *     that no process is at the peer's port, or another process is: as a handle is of one life of
   *     a process, that life is over. A stopped process, a cut cable and a silent host are not that
   */
  ChannelFuture<SendChannel> connect(byte[] handle) throws TransportException;

  /**
   * As {@link #connect(byte[])}, for a caller that knows the peer by one of its addresses, for
   * example the one that it asked for the handle: the NIC on that address's subnet is tried first,
   * whatever its speed. The others are tried after it, as ever.
   *
   * @param named an address of the peer; one that none of its NICs has changes nothing
   */
  default ChannelFuture<SendChannel> connect(byte[] handle, InetAddress named)
      throws TransportException {
    return connect(handle);
  }

  /**
   * The id of the node that gave a handle: 32 hexadecimal digits, drawn anew in each life of a
   * transport. All handles that one node gives have it, whatever its addresses are at the time;
   * {@link Route#peer} is its beginning. Asks nobody.
   *
   * @param handle as for {@link #connect(byte[])}
   * @throws TransportException BAD_HANDLE if these bytes are no handle, or one of a C plugin, which
   *     names no node; a retry with the same bytes cannot help
   */
  String nodeId(byte[] handle) throws TransportException;

  /**
   * The TCP port at which this node answers {@link #lookup} and shakes hands, 1 to 65535: what
   * MESH_HANDSHAKE_PORT says or, where that is 0 or its default is taken, the kernel's choice.
   * Stays the same until {@link #close}.
   */
  int handshakePort();

  /**
   * Asks the node at an address for its handle: for whoever knows where a peer is and nothing more.
   * Any address of its NICs will do. Never blocks; ends, one way or the other, within
   * MESH_TIMEOUT_MS. Closing the transport ends it too; cancelling the future gives it up.
   *
   * <p>The answer is the handle of the oldest listener that is open there, for {@link #connect}. It
   * may be this node's own, where the address is. With MESH_SECRET both sides prove that they know
   * it before the answer is believed; without, whoever has the address can say what he likes, and
   * {@link #connect} reaches who he says.
   *
   * <p>The future completes on a thread of the transport, which its dependents must not block: give
   * long ones a thread of their own. It fails with a {@link TransportException} alone:
   * PEER_UNREACHABLE if nobody is there, or listens there, yet (a retry helps; the cause is a
   * {@link java.net.ConnectException} if the host is up and refuses); TIMED_OUT, BUSY and
   * NO_RESOURCES (a retry may help); REFUSED because of the secret or of another version,
   * WRONG_PEER for a node of another job, PROTOCOL if a stranger answers (somebody must change
   * something); or CLOSED.
   *
   * @param address resolved, an IPv6 link-local one with its scope, and with the port where the
   *     peer shakes hands, by default {@link #DEFAULT_HANDSHAKE_PORT}
   * @throws IllegalArgumentException for an unresolved address, or port 0
   */
  CompletableFuture<byte[]> lookup(InetSocketAddress address);

  /** {@link #connect(byte[])}, waiting for the end. */
  default SendChannel connect(byte[] handle, Duration timeout) throws TransportException {
    return connect(handle).await(timeout);
  }

  /** What went over its NICs so far. Also while channels are used, which this does not slow. */
  Statistics statistics();

  /**
   * Closes all that was made from it. Outstanding requests fail with CLOSED. Safe to call twice and
   * from any thread; a second call returns when everything is closed, too. Takes a bounded time,
   * usually milliseconds, and half a second more if peers do not answer.
   */
  @Override
  void close();
}
