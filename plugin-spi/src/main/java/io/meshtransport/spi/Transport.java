// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * One node's end of the mesh: its NICs, its registered memory, its listeners and channels. Created
 * by {@link #open} and closed by its creator; {@link #close} closes everything made from it.
 *
 * <p>Any thread may call any method here. Channels have rules of their own ({@link Channel}).
 *
 * <p>What is begun on a closed transport ends as what was pending when it was closed, with the
 * reason CLOSED: methods that return a future return one that has failed, and others that begin
 * something throw the {@link TransportException}. It is no mistake of the caller, because another
 * thread may close it at any moment. What begins nothing answers as before, or has no effect.
 */
public interface Transport extends AutoCloseable {
  /**
   * Max requests outstanding on one channel; one more is {@link Channel#BUSY}. A connection may
   * have more or fewer: {@link ConnectOptions#requests(int)}, of which this is the default.
   */
  int MAX_REQUESTS = 64;

  /** Max receives of one group ({@link ReceiveGroup}). */
  int MAX_GROUP = 8;

  /** Max length of a message in bytes, 1 TiB, as ncclNet allows. */
  long MAX_MESSAGE_BYTES = 1L << 40;

  /** Alignment of allocated memory in bytes: a page of x86-64 and aarch64. */
  int ALLOCATION_ALIGNMENT_BYTES = 4096;

  /**
   * Default TCP port of handshakes and of {@link #lookup}. RoCE v2 has the same number in UDP
   * (IANA: roce), so that one number opens a firewall for both.
   */
  int DEFAULT_HANDSHAKE_PORT = 4791;

  /**
   * As {@link #open(Map)}, with settings from the environment and system properties alone.
   *
   * @return the caller's to close
   * @throws TransportException as {@link #open(Map)}
   */
  static Transport open() throws TransportException {
    return open(Map.of());
  }

  /**
   * Opens the first implementation that is found by this interface's class loader, or else by the
   * thread's context class loader.
   *
   * @param settings values by their names in the environment (MESH_TIMEOUT_MS ...); they override
   *     system properties, which override the environment
   * @return the caller's to close
   * @throws TransportException CONFIGURATION for a bad setting; NO_NIC if no NIC has an address,
   *     with the reason for each port (a NIC that has an address and no carrier is no failure: it
   *     is used as soon as it has one); UNAVAILABLE if there is no implementation or the chosen
   *     verbs provider does not work here. A retry cannot help before somebody has changed
   *     something
   */
  static Transport open(Map<String, String> settings) throws TransportException {
    Objects.requireNonNull(settings, "no settings: pass Map.of() for none");
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
   * The implementation beside this interface, or else one of the thread's context class loader. In
   * a container the context class loader is often the container's, which does not see our
   * implementation; or this interface is the container's and the implementation an application's.
   */
  private static Optional<TransportProvider> installed() {
    return ServiceLoader.load(TransportProvider.class, Transport.class.getClassLoader())
        .findFirst()
        .or(() -> ServiceLoader.load(TransportProvider.class).findFirst());
  }

  /**
   * What a setting was opened with, for libraries over this transport that have settings of their
   * own. Never changes. Any thread.
   *
   * @param name in the environment, as in MESH_PLAN
   * @return as its user wrote it without the blanks around it, but only the length of a secret;
   *     empty if nobody set it, or if there is no such setting
   */
  default Optional<String> setting(String name) {
    return Optional.empty();
  }

  /**
   * Joins the mesh by an implementation of it, with what this transport was opened with, its secret
   * included. {@link Mesh#join(Transport, Map)} calls it, and programs need not. Any thread.
   *
   * @param settings by their names in the environment; they override those of this transport
   * @return the caller's to close, before this transport
   * @throws TransportException as {@link Mesh#join(Transport, Map)}
   */
  default Mesh joinMesh(MeshProvider provider, Map<String, String> settings)
      throws TransportException {
    return provider.join(this, settings);
  }

  /**
   * The NICs of this host that can reach peers, as they are now, best first. Each has an address;
   * it may have no carrier ({@link NicDescription#hasCarrier}). The transport follows its host: a
   * NIC that appears, or gets another address or a carrier, is used within a second by the next
   * {@link #connect}, {@link Listener#accept} and {@link #lookup}; a NIC that disappears ends its
   * own channels only. So the list can become empty, and be filled again.
   */
  List<NicDescription> nics();

  /** Notifies a listener of every change of {@link #nics()}, until it is removed. */
  default void addNicListener(NicListener listener) {
    // For transports whose NICs never change.
  }

  /** Stops notifying a listener; a call that has begun may still be running. */
  default void removeNicListener(NicListener listener) {
    // For transports whose NICs never change.
  }

  /**
   * Registers a direct buffer from 0 to its capacity, whatever its position and limit. The
   * registration serves all NICs and channels of this transport. Register once and keep it: a
   * registration costs far more than a message.
   *
   * @param buffer direct; its content is the caller's, except while a request uses it
   * @return the caller's to close
   * @throws IllegalArgumentException for a heap, empty or read-only buffer
   * @throws TransportException NO_RESOURCES if the system's limit of locked memory or the device's
   *     limit is reached; a retry helps once something is closed
   */
  RegisteredMemory register(ByteBuffer buffer) throws TransportException;

  /**
   * Registers several direct buffers as one memory, in which each begins where the one before it
   * ends: the way to have messages of more than 2^31 - 1 bytes. RDMA hardware needs the buffers to
   * be adjacent in memory, software does not.
   *
   * @return the caller's to close
   * @throws IllegalArgumentException as for one buffer, and for buffers that are not adjacent where
   *     they must be
   * @throws TransportException as {@link #register(ByteBuffer)}
   */
  default RegisteredMemory register(List<ByteBuffer> segments) throws TransportException {
    return register(segments, Set.of());
  }

  /**
   * As {@link #register(List)}, for memory that peers may also put to or get from.
   *
   * @param access what peers may do that have its {@link RegisteredMemory#remoteKey()}; empty for
   *     nothing, and then the memory has no key
   */
  RegisteredMemory register(List<ByteBuffer> segments, Set<RemoteAccess> access)
      throws TransportException;

  /**
   * As {@link #register(long, long, Set, Object, Runnable)}, without a call at the end.
   *
   * @param keepAlive stays reachable until the registration ends; null for none
   */
  default RegisteredMemory register(
      long address, long lengthBytes, Set<RemoteAccess> access, Object keepAlive)
      throws TransportException {
    return register(address, lengthBytes, access, keepAlive, () -> {});
  }

  /**
   * Registers a range of memory by its address: memory of native code, of {@code
   * java.lang.foreign}, or a part of other registered memory ({@link RegisteredMemory#address}). It
   * may be longer than a buffer can be; its {@link RegisteredMemory#segments()} are then buffers of
   * at most 1 GiB.
   *
   * <p>Nothing checks the range. It must be mapped, readable and writable, and stay so until the
   * registration has ended, which is when the memory is closed and the last request that uses it is
   * complete. Where it is not, hardware refuses the registration or writes to memory that is
   * another's by then, and software ends the process with a segmentation fault. The segments, too,
   * are not to be used any longer.
   *
   * @param address of the first byte; unsigned, not 0
   * @param lengthBytes 1 to {@link #MAX_MESSAGE_BYTES}
   * @param access as for {@link #register(List, Set)}
   * @param keepAlive stays reachable until the registration ends: the object that frees the range
   *     when it is collected; null for none
   * @param onEnd runs once when the registration has ended and no device uses the range any more;
   *     not at all if this method throws. The thread is any that ends the last use, perhaps inside
   *     a method of a channel: it must be short, must not block, and must not call the transport.
   *     What it throws is logged at ERROR and goes no further
   * @return the caller's to close
   * @throws IllegalArgumentException for address 0, another length, or a range that leaves the
   *     address space
   * @throws TransportException as {@link #register(ByteBuffer)}; NO_RESOURCES also where a device
   *     finds the range not mapped or not writable
   */
  RegisteredMemory register(
      long address, long lengthBytes, Set<RemoteAccess> access, Object keepAlive, Runnable onEnd)
      throws TransportException;

  /**
   * Allocates memory that is registered already, for programs that need much of it, or often. It
   * comes from a pool, so that most allocations cost no registration, and closing it returns it
   * there. It begins at a multiple of {@value #ALLOCATION_ALIGNMENT_BYTES} bytes and consists of
   * buffers of at most 1 GiB that are adjacent in memory. Its initial content is undefined.
   *
   * <p>Using its buffers after closing it is a mistake that is not detected: the memory may be
   * another allocation's by then. It has no {@link RegisteredMemory#remoteKey()}, because a key
   * would outlive the allocation; {@link #allocate(long, Set)} gives one.
   *
   * @param lengthBytes 1 to {@link #MAX_MESSAGE_BYTES}
   * @return the caller's to close
   * @throws IllegalArgumentException for another length
   * @throws TransportException NO_RESOURCES if memory or the limit of locked memory is used up; the
   *     text says which, and a retry helps once something is closed
   */
  default RegisteredMemory allocate(long lengthBytes) throws TransportException {
    return allocate(lengthBytes, Set.of());
  }

  /**
   * As {@link #allocate(long)}, for memory that peers may also put to or get from.
   *
   * @param access as for {@link #register(List, Set)}; unless empty, the memory comes from no pool
   *     and returns to none, so that its key is invalid once it is closed
   */
  RegisteredMemory allocate(long lengthBytes, Set<RemoteAccess> access) throws TransportException;

  /**
   * Removes a buffer from the cache of registrations that the transport made by itself ({@link
   * SendChannel#isend(ByteBuffer, int, long)}), now or when the last request that uses it is
   * complete. Call it before memory is freed by other means than the garbage collector: unmapped,
   * freed by hand, or truncated in its file. Does nothing for a buffer that is not in the cache.
   */
  void deregister(ByteBuffer buffer);

  /**
   * What is registered, pooled and cached now. Walks over all memory, so do not call it per send.
   */
  MemoryStatistics memoryStatistics();

  /**
   * Decodes the key of a peer's memory, for {@link SendChannel#iput} and {@link SendChannel#iget}
   * on any channel to that peer. Does not communicate.
   *
   * @param key what {@link RegisteredMemory#remoteKey()} returned at the peer
   * @throws TransportException BAD_HANDLE if these bytes are no key, with the offset of the first
   *     wrong one; a retry with the same bytes cannot help
   */
  RemoteMemory remoteMemory(byte[] key) throws TransportException;

  /**
   * Starts listening for channels from peers. Never blocks.
   *
   * @return the caller's to close
   * @throws TransportException if no listener can be opened, with the reason
   */
  Listener listen() throws TransportException;

  /**
   * Starts connecting to a peer's listener: chooses the local NIC on a subnet that both share, and
   * verifies it by a handshake over that cable. Where there are several such NICs, the next one is
   * tried as well when the one before has failed or has not succeeded within 250 ms; the first that
   * succeeds is used. Never blocks; the future is done within MESH_TIMEOUT_MS, and before that with
   * NO_ROUTE if a mesh knows that no cable leads to the peer ({@link #consult}).
   *
   * @param handle what {@link Listener#handle()} returned at the peer; with MESH_COMPAT=nccl-mesh
   *     also the handle of a C plugin
   * @throws TransportException BAD_HANDLE, at once, if these bytes are no handle, with the offset
   *     of the first wrong one. Later failures are the future's, thrown by {@link
   *     ChannelFuture#await}: NO_ROUTE (a retry helps if a carrier is missing, as {@link
   *     TransportException#retryHelps} says then), PEER_UNREACHABLE, WRONG_PEER, REFUSED,
   *     TIMED_OUT, CLOSED. The cause is a {@link java.net.ConnectException} if at every address of
   *     the peer that was tried the host answered that no process, or another one, listens at the
   *     peer's port: a handle belongs to one lifetime of a process, and that lifetime is over. A
   *     stopped process, a cut cable and a silent host do not give this cause
   */
  ChannelFuture<SendChannel> connect(byte[] handle) throws TransportException;

  /**
   * As {@link #connect(byte[])}, trying the NIC on the subnet of a preferred address first,
   * whatever its speed; the others follow in their usual order. For callers that know the peer by
   * an address, such as the one that they looked the handle up at.
   *
   * @param named an address of the peer; has no effect if none of the peer's NICs has it
   */
  default ChannelFuture<SendChannel> connect(byte[] handle, InetAddress named)
      throws TransportException {
    return connect(handle);
  }

  /**
   * {@link #connect(byte[])}, waiting until it is done.
   *
   * @param timeout as {@link ChannelFuture#await} has it
   * @return the caller's to close
   * @throws TransportException as {@link #connect(byte[])}; TIMED_OUT also if the time passed
   */
  default SendChannel connect(byte[] handle, Duration timeout) throws TransportException {
    return connect(handle).await(timeout);
  }

  /**
   * Starts connecting to a peer's listener in both directions at once, by the rules of {@link
   * #connect(byte[])}. Never blocks; the future is done within MESH_TIMEOUT_MS, on a thread of the
   * transport, which its dependents must not block. Cancelling it abandons the attempt; a
   * connection that is there already is then closed.
   *
   * @param handle what {@link Listener#handle()} returned at the peer; not that of a C plugin
   * @return fails with a {@link TransportException} only, for the reasons that {@link
   *     #connect(byte[])} lists; the connection is the caller's to close
   * @throws TransportException BAD_HANDLE, at once, if these bytes are no handle
   */
  ChannelFuture<Connection> connect(byte[] handle, ConnectOptions options)
      throws TransportException;

  /**
   * {@link #connect(byte[], ConnectOptions)}, waiting until it is done.
   *
   * @param timeout as {@link ChannelFuture#await} has it
   * @return the caller's to close
   * @throws TransportException as {@link #connect(byte[], ConnectOptions)}; TIMED_OUT also if the
   *     time passed, INTERRUPTED if the thread was interrupted (its interrupt status stays set)
   */
  default Connection connect(byte[] handle, ConnectOptions options, Duration timeout)
      throws TransportException {
    return connect(handle, options).await(timeout);
  }

  /**
   * As {@link #listen()}, with options for the connections that are accepted there.
   *
   * @return the caller's to close
   */
  Listener listen(ConnectOptions options) throws TransportException;

  /**
   * Makes a poller for connections of this transport. It hears the events of the provider that the
   * node's NICs have now; connections of another one it polls each millisecond. So on a node with
   * RDMA devices make it while one of their interfaces has an address, and not the relay's alone.
   *
   * @return the caller's to close
   * @throws TransportException NO_RESOURCES if there is no descriptor for it; a retry helps once
   *     something is closed. NO_NIC if the node has no NIC now; a retry helps once it has
   */
  Poller newPoller() throws TransportException;

  /** This node, as its peers see it. Does not communicate. */
  Peer self();

  /**
   * Fails what this transport has open to a node that is gone: each connection and channel, with
   * all their requests, and each {@link #connect} under way, with PEER_GONE and the evidence. A
   * {@link Mesh} calls it for its transport; so may a program that knows it from elsewhere.
   *
   * <p>It is about this moment: a connection that is made later is used, as the node may be back
   * after all. A node that has restarted has another id, and is not meant. Never blocks: a thread
   * of the transport fails them soon. Does nothing for a node that nothing leads to, nor to
   * channels of C plugins, whose handshakes name no node, nor on a closed transport.
   *
   * @param nodeId as {@link Peer#id()}
   * @param evidence a clause that says why the node is gone, for the failures' texts
   * @throws IllegalArgumentException if the id is no id
   */
  void peerGone(String nodeId, String evidence);

  /**
   * Takes channels of several rails off a cable that is cut, though the node at its other end
   * lives: they go on over the other rails at once, and need not find out for themselves. One that
   * has no other rail stays as it is. No further rail is made over the cable before {@link
   * #cableMended}, or for 30 s. A {@link Mesh} calls it for its transport. Never blocks, and does
   * nothing on a closed transport.
   *
   * @param nodeId at the other end, as {@link Peer#id()}
   * @param interfaceIndex of this host's end
   * @param evidence a clause that says what was seen, for the log
   * @throws IllegalArgumentException if the id is no id
   */
  default void cableCut(String nodeId, int interfaceIndex, String evidence) {}

  /**
   * Takes a cable into use again that {@link #cableCut} was about: channels make rails over it. A
   * {@link Mesh} calls it for its transport when it hears the node over the cable. Never blocks,
   * and does nothing for a cable that is not cut.
   *
   * @param nodeId at the other end, as {@link Peer#id()}
   * @param interfaceIndex of this host's end
   * @throws IllegalArgumentException if the id is no id
   */
  default void cableMended(String nodeId, int interfaceIndex) {}

  /**
   * Consults a mesh about cables and names from now on: where both ends of a connect have
   * link-local addresses alone, pairs of them that the mesh knows to be on no common cable are not
   * tried, and texts name nodes. What it does not know is tried as before. A {@link Mesh} calls it
   * for its transport. Never blocks.
   *
   * @param mesh replaces what was consulted before; {@link MeshKnowledge#NONE} ends it
   */
  default void consult(MeshKnowledge mesh) {}

  /**
   * Lets this transport reach nodes over an overlay that no cable leads to. Its next handles say
   * so, and {@link #connect} falls back to it where no other route works. One at a time.
   *
   * @param overlay its opener's to close, after this attachment
   * @return ends the attachment: what is open over it fails with PEER_UNREACHABLE
   * @throws TransportException UNAVAILABLE if this implementation has no use for one, or has one
   *     attached already; a retry does not help
   */
  default Overlay.Attachment attach(Overlay overlay) throws TransportException {
    throw new TransportException(
        TransportException.Reason.UNAVAILABLE, getClass().getName() + " has no use for overlays.");
  }

  /**
   * The id of the node that a handle belongs to: 32 hexadecimal digits, chosen at random each time
   * a transport opens. All handles of one node have the same id, whatever its addresses are at the
   * time; {@link Route#peer} is its beginning. Does not communicate.
   *
   * @param handle as for {@link #connect(byte[])}
   * @throws TransportException BAD_HANDLE if these bytes are no handle, or one of a C plugin, which
   *     names no node; a retry with the same bytes cannot help
   */
  String nodeId(byte[] handle) throws TransportException;

  /**
   * The TCP port of this node's handshakes and of its answers to {@link #lookup}, 1 to 65535: the
   * value of MESH_HANDSHAKE_PORT or, where that is 0 or its default is in use, the kernel's choice.
   * Stays the same until {@link #close}.
   */
  int handshakePort();

  /**
   * Requests the handle of the node at an address, for callers that know no more of a peer than any
   * address of its NICs. Never blocks; the future is done within MESH_TIMEOUT_MS. Closing the
   * transport completes it too; cancelling it abandons the request.
   *
   * <p>The answer is the handle of the oldest listener that is open there, for {@link #connect};
   * those with {@link ConnectOptions#unlisted()} do not count. It is this node's own handle if the
   * address is its own. With MESH_SECRET both sides prove that they know the secret before the
   * answer is accepted. Without, any program that has the address can answer what it likes, and
   * {@link #connect} goes where that answer leads.
   *
   * <p>A node answers 100 lookups of one address at once and 50 a second from then on, and 1000 and
   * 500 of all addresses. Those beyond that wait here and are tried again: they succeed later, or
   * fail with TIMED_OUT. So keep a handle that connects, instead of a lookup for each connection.
   *
   * <p>The future completes on a thread of the transport, which its dependents must not block: run
   * long ones on a thread of your own. It fails with a {@link TransportException} only:
   * PEER_UNREACHABLE if no node is there, or none that listens, yet (a retry helps; the cause is a
   * {@link java.net.ConnectException} if the host is up and refuses), or if something there takes
   * the connection and closes it without an answer, as other software does and for a moment a node
   * that is ending or overloaded; TIMED_OUT, also where that something is silent, and NO_RESOURCES
   * (a retry may help); REFUSED because of the secret or another version, PROTOCOL if other
   * software answers, of which the text has the first bytes (somebody must change something); or
   * CLOSED.
   *
   * @param address resolved, an IPv6 link-local one with its scope, and with the port of the peer's
   *     handshakes, by default {@link #DEFAULT_HANDSHAKE_PORT}
   * @throws IllegalArgumentException for an unresolved address, or port 0
   */
  CompletableFuture<byte[]> lookup(InetSocketAddress address);

  /** What went over the NICs so far. Does not slow down channels that are in use. */
  Statistics statistics();

  /**
   * Closes everything made from this transport. Outstanding requests fail with CLOSED. Pollers
   * report what they have not reported yet, then are closed ({@link Poller#close}). Safe to call
   * twice and from any thread; a second call returns when everything is closed, too. Takes a
   * bounded time, usually milliseconds, and half a second more if peers do not answer.
   */
  @Override
  void close();
}
