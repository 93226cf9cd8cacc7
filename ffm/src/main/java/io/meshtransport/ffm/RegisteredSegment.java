// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.ffm;

import io.meshtransport.spi.Connection;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * Registered memory as a MemorySegment. Slices of {@link #segment()} are messages: what is sent,
 * received into, put or got is named by a segment instead of an offset and a length, and the rules
 * are those of the method of the same name in {@link SendChannel} or {@link ReceiveChannel}. None
 * of these calls copies or allocates; none looks at the thread that a segment is confined to.
 *
 * <p>Created by {@link MeshArena#register} or {@link #of}; closed by the caller of that. Any thread
 * may call it.
 */
public final class RegisteredSegment implements AutoCloseable {
  private final RegisteredMemory memory;
  private final MemorySegment segment;
  private final long address;

  /**
   * @param memory registered at the segment's address, with its length
   */
  RegisteredSegment(RegisteredMemory memory, MemorySegment segment) {
    this.memory = memory;
    this.segment = segment;
    this.address = segment.address();
  }

  /**
   * A view of memory that is registered already: by {@link Transport#allocate(long)} or {@link
   * Transport#register(ByteBuffer)}.
   *
   * <p>Like {@link RegisteredMemory#segments()}, the view must not be used once the memory is
   * closed, which its scope does not know: it stays alive as long as it is reachable. Memory of
   * several buffers needs {@code --enable-native-access}, as {@link MemorySegment#reinterpret(long,
   * Arena, java.util.function.Consumer)} says.
   *
   * @param memory from now on to be closed here or there, which is the same
   * @throws IllegalStateException if the memory is closed, or its segments are not adjacent
   */
  public static RegisteredSegment of(RegisteredMemory memory) {
    return new RegisteredSegment(memory, view(memory));
  }

  @SuppressWarnings("restricted")
  private static MemorySegment view(RegisteredMemory memory) {
    // Of closed memory, too, there is no address.
    MemorySegment start = MemorySegment.ofAddress(memory.address());
    List<ByteBuffer> buffers = memory.segments();
    if (buffers.size() == 1) {
      return MemorySegment.ofBuffer(buffers.get(0).duplicate().clear());
    }
    // The view keeps the buffers reachable, and with them their memory.
    return start.reinterpret(
        memory.lengthBytes(), Arena.ofAuto(), gone -> Reference.reachabilityFence(memory));
  }

  /** All of the memory. */
  public MemorySegment segment() {
    return segment;
  }

  /** The same memory for methods that want an offset and a length. */
  public RegisteredMemory memory() {
    return memory;
  }

  /**
   * Where a piece begins in {@link #memory()}, in bytes.
   *
   * @throws IllegalArgumentException unless all of the piece is in this memory
   */
  public long offsetOf(MemorySegment piece) {
    long offsetBytes = piece.address() - address;
    if (!piece.isNative()
        || Long.compareUnsigned(offsetBytes, segment.byteSize()) > 0
        || piece.byteSize() > segment.byteSize() - offsetBytes) {
      throw new IllegalArgumentException(
          "a "
              + (piece.isNative() ? "" : "heap ")
              + "segment of "
              + piece.byteSize()
              + " bytes that is no part of these "
              + segment.byteSize()
              + " bytes of registered memory: slice it from segment()");
    }
    return offsetBytes;
  }

  /** As {@link SendChannel#isend(RegisteredMemory, long, long, int, long)}. */
  public long isend(SendChannel channel, MemorySegment piece, int tag, long timeoutNs) {
    return channel.isend(memory, offsetOf(piece), piece.byteSize(), tag, timeoutNs);
  }

  /** As {@link Connection#isend(RegisteredMemory, long, long, int, long, long)}. */
  public long isend(
      Connection connection, MemorySegment piece, int tag, long timeoutNs, long userData) {
    return connection.isend(memory, offsetOf(piece), piece.byteSize(), tag, timeoutNs, userData);
  }

  /** As {@link SendChannel#send(RegisteredMemory, long, long, int, Duration)}. */
  public void send(SendChannel channel, MemorySegment piece, int tag, Duration timeout)
      throws TransportException {
    channel.send(memory, offsetOf(piece), piece.byteSize(), tag, timeout);
  }

  /** As {@link ReceiveChannel#irecv(RegisteredMemory, long, long, int, long)}. */
  public long irecv(ReceiveChannel channel, MemorySegment piece, int tag, long timeoutNs) {
    return channel.irecv(memory, offsetOf(piece), piece.byteSize(), tag, timeoutNs);
  }

  /** As {@link Connection#irecv(RegisteredMemory, long, long, int, long, long)}. */
  public long irecv(
      Connection connection, MemorySegment piece, int tag, long timeoutNs, long userData) {
    return connection.irecv(memory, offsetOf(piece), piece.byteSize(), tag, timeoutNs, userData);
  }

  /** As {@link ReceiveChannel#receive(RegisteredMemory, long, long, int, Duration)}. */
  public long receive(ReceiveChannel channel, MemorySegment piece, int tag, Duration timeout)
      throws TransportException {
    return channel.receive(memory, offsetOf(piece), piece.byteSize(), tag, timeout);
  }

  /** As {@link SendChannel#iput(RegisteredMemory, long, long, RemoteMemory, long, long)}. */
  public long iput(
      SendChannel channel,
      MemorySegment piece,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    return channel.iput(
        memory, offsetOf(piece), piece.byteSize(), remote, remoteOffsetBytes, timeoutNs);
  }

  /** As {@link SendChannel#iget(RegisteredMemory, long, long, RemoteMemory, long, long)}. */
  public long iget(
      SendChannel channel,
      MemorySegment piece,
      RemoteMemory remote,
      long remoteOffsetBytes,
      long timeoutNs) {
    return channel.iget(
        memory, offsetOf(piece), piece.byteSize(), remote, remoteOffsetBytes, timeoutNs);
  }

  /**
   * Closes the memory, as {@link RegisteredMemory#close} says. Its arena can be closed once the
   * requests that use it are complete. Safe to call twice.
   */
  @Override
  public void close() {
    memory.close();
  }
}
