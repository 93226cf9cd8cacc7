// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.GatherList;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.memory.MemoryRegistry;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.memory.RemoteKey;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.verbs.MemoryRegion;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * One put or get, or one message of a gather list, which is a put to an advertised receive: its
 * pieces as a NIC knows them, and how far they have been posted. Used again and again; allocates
 * only while it grows beyond what it ever held. Confined to the channel's lock.
 */
final class RmaTransfer implements Retained {
  private static final int FIRST_CAPACITY = 8;

  private final Consumer<RmaTransfer> onRelease;
  private boolean isGet;
  private boolean isGather;
  private boolean hasNotice;
  private int notice;
  private int size;
  private long totalBytes;
  private long requestsLeft;
  private int piece;
  private long doneBytes;
  private boolean hasBegun;
  private RemoteKey elsewhere;
  private MeshMemory[] memories = new MeshMemory[FIRST_CAPACITY];
  private int[] localKeys = new int[FIRST_CAPACITY];
  private long[] offsetsBytes = new long[FIRST_CAPACITY];
  private long[] addresses = new long[FIRST_CAPACITY];
  private long[] lengthsBytes = new long[FIRST_CAPACITY];
  private int[] remoteKeys = new int[FIRST_CAPACITY];

  /** Of a put or get, the memory that each piece is in. */
  private RemoteKey[] remotes = new RemoteKey[FIRST_CAPACITY];

  /** Of a message, where in it each piece begins. */
  private long[] remoteAddresses = new long[FIRST_CAPACITY];

  /** Of a message, where its receive is; 0 for a put or get. */
  private long receiveAddress;

  private int receiveKey;

  /**
   * @param onRelease gets it back when its request is over
   */
  RmaTransfer(Consumer<RmaTransfer> onRelease) {
    this.onRelease = onRelease;
  }

  /**
   * Takes over a list, whole or not at all, and keeps its memory from ending.
   *
   * @param nicIndex local NIC that does it
   * @param partBytes longest piece of one work request
   * @throws IllegalArgumentException foreign memory, out of bounds, too many bytes
   * @throws IllegalStateException closed memory
   */
  void fill(
      MemoryRegistry registry,
      TransferList list,
      boolean get,
      int nicIndex,
      PeerNic peer,
      long partBytes) {
    begin(get, false, list.size());
    boolean isWhole = false;
    try {
      for (int i = 0; i < list.size(); i++) {
        add(registry, list, i, nicIndex, peer, partBytes);
      }
      isWhole = true;
    } finally {
      if (!isWhole) {
        release();
      }
    }
    // Nothing at all still needs something whose end can be reported.
    requestsLeft = Math.max(1, requestsLeft);
  }

  private void begin(boolean get, boolean gather, int pieces) {
    isGet = get;
    isGather = gather;
    hasNotice = false;
    size = 0;
    totalBytes = 0;
    requestsLeft = 0;
    piece = 0;
    doneBytes = 0;
    hasBegun = false;
    elsewhere = null;
    receiveAddress = 0;
    ensureCapacity(pieces);
  }

  /**
   * Takes over the pieces of a message, whole or not at all, and keeps their memory from ending. A
   * message without bytes has no work requests.
   *
   * @throws IllegalArgumentException foreign memory, out of bounds, too many bytes
   * @throws IllegalStateException closed memory
   */
  void fillGather(MemoryRegistry registry, GatherList list, int nicIndex, long partBytes) {
    begin(false, true, list.size());
    boolean isWhole = false;
    try {
      for (int i = 0; i < list.size(); i++) {
        long offsetBytes = list.offsetBytes(i);
        long lengthBytes = list.lengthBytes(i);
        MeshMemory memory = MeshMemory.retain(registry, list.memory(i), offsetBytes, lengthBytes);
        memories[size] = memory;
        remoteAddresses[size] = totalBytes;
        addLocal(memory, offsetBytes, lengthBytes, nicIndex, partBytes);
        requireTotal("a message");
      }
      isWhole = true;
    } finally {
      if (!isWhole) {
        release();
      }
    }
  }

  private void requireTotal(String what) {
    if (totalBytes > Transport.MAX_MESSAGE_BYTES) {
      throw new IllegalArgumentException(
          what + " of more than " + Transport.MAX_MESSAGE_BYTES + " bytes in all");
    }
  }

  /** A piece that is retained, and whose remote end is noted; one without bytes is left out. */
  private void addLocal(
      MeshMemory memory, long offsetBytes, long lengthBytes, int nicIndex, long partBytes) {
    if (lengthBytes == 0) {
      memories[size] = null;
      memory.release();
      return;
    }
    localKeys[size] = memory.keys(nicIndex).localKey();
    offsetsBytes[size] = offsetBytes;
    addresses[size] = memory.address(nicIndex) + offsetBytes;
    lengthsBytes[size] = lengthBytes;
    size++;
    totalBytes += lengthBytes;
    requestsLeft += (lengthBytes + partBytes - 1) / partBytes;
  }

  /** The message goes to an advertised receive. */
  void to(long address, int key) {
    receiveAddress = address;
    receiveKey = key;
  }

  private void add(
      MemoryRegistry registry,
      TransferList list,
      int i,
      int nicIndex,
      PeerNic peer,
      long partBytes) {
    long lengthBytes = list.lengthBytes(i);
    long remoteOffsetBytes = list.remoteOffsetBytes(i);
    RemoteKey far =
        RemoteKey.require(
            list.remote(i),
            isGet ? RemoteAccess.GET : RemoteAccess.PUT,
            remoteOffsetBytes,
            lengthBytes);
    if (lengthBytes > Transport.MAX_MESSAGE_BYTES - totalBytes) {
      throw new IllegalArgumentException(
          "a put or get of more than " + Transport.MAX_MESSAGE_BYTES + " bytes in all");
    }
    MeshMemory memory =
        MeshMemory.retain(registry, list.memory(i), list.offsetBytes(i), lengthBytes);
    if (!far.isAt(peer)) {
      elsewhere = far;
    }
    if (lengthBytes == 0 || elsewhere != null) {
      memory.release();
      return;
    }
    memories[size] = memory;
    remotes[size] = far;
    remoteKeys[size] = far.key(peer.nicIndex());
    remoteAddresses[size] = far.address(peer.nicIndex()) + remoteOffsetBytes;
    addLocal(memory, list.offsetBytes(i), lengthBytes, nicIndex, partBytes);
  }

  private void ensureCapacity(int pieces) {
    if (pieces > memories.length) {
      int capacity = Integer.highestOneBit(pieces - 1) << 1;
      memories = new MeshMemory[capacity];
      localKeys = Arrays.copyOf(localKeys, capacity);
      offsetsBytes = Arrays.copyOf(offsetsBytes, capacity);
      addresses = Arrays.copyOf(addresses, capacity);
      lengthsBytes = Arrays.copyOf(lengthsBytes, capacity);
      remoteKeys = Arrays.copyOf(remoteKeys, capacity);
      remotes = Arrays.copyOf(remotes, capacity);
      remoteAddresses = Arrays.copyOf(remoteAddresses, capacity);
    }
  }

  /** Remote memory of it that its channel does not lead to, for which it must fail; or null. */
  RemoteKey elsewhere() {
    return elsewhere;
  }

  boolean isGet() {
    return isGet;
  }

  /** Whether it is a message of a gather list. */
  boolean isGather() {
    return isGather;
  }

  /** The peer gets a notice behind the last byte of this put. */
  void giveNotice(int newNotice) {
    hasNotice = true;
    notice = newNotice;
  }

  boolean hasNotice() {
    return hasNotice;
  }

  int notice() {
    return notice;
  }

  /** Whether a control message follows its pieces, which ends the request. */
  boolean endsWithControl() {
    return isGather || hasNotice;
  }

  /** The piece of a message that has the byte at an offset, which must be in the message. */
  int pieceAt(long messageOffsetBytes) {
    int found = Arrays.binarySearch(remoteAddresses, 0, size, messageOffsetBytes);
    return found >= 0 ? found : -found - 2;
  }

  /** Bytes of a message from an offset to the end of the piece there. */
  long pieceRestBytes(long messageOffsetBytes) {
    int at = pieceAt(messageOffsetBytes);
    return remoteAddresses[at] + lengthsBytes[at] - messageOffsetBytes;
  }

  MeshMemory memoryOf(int pieceOfMessage) {
    return memories[pieceOfMessage];
  }

  /** Where in the memory of a piece the byte at an offset of the message is. */
  long offsetBytes(int pieceOfMessage, long messageOffsetBytes) {
    return offsetsBytes[pieceOfMessage] + messageOffsetBytes - remoteAddresses[pieceOfMessage];
  }

  long totalBytes() {
    return totalBytes;
  }

  /** Work requests that are still to be posted. */
  long requestsLeft() {
    return requestsLeft;
  }

  /** Whether any of it has been posted. */
  boolean hasBegun() {
    return hasBegun;
  }

  /**
   * Its pieces go from another NIC to another of the peer's; where a message's receive is there,
   * {@link #to} says.
   *
   * @return false if the memory of a piece is not known to both, {@link #elsewhere} says whether it
   *     is the peer's key, else it is memory of this end, which is not registered with the NIC
   */
  boolean reroute(PeerNic from, int toNic, PeerNic to) {
    for (int i = 0; i < size; i++) {
      MemoryRegion region = memories[i].regionOrNull(toNic);
      if (region == null) {
        return false;
      }
      if (!isGather && !remotes[i].isAt(to)) {
        elsewhere = remotes[i];
        return false;
      }
      localKeys[i] = region.localKey();
      addresses[i] = memories[i].addressIn(region) + offsetsBytes[i];
      if (!isGather) {
        remoteAddresses[i] +=
            remotes[i].address(to.nicIndex()) - remotes[i].address(from.nicIndex());
        remoteKeys[i] = remotes[i].key(to.nicIndex());
      }
    }
    return true;
  }

  /** The last work request that was posted is to be posted again. */
  void unpost(long partBytes) {
    requestsLeft++;
    if (size == 0) {
      return;
    }
    if (doneBytes == 0) {
      piece--;
      doneBytes = (lengthsBytes[piece] - 1) / partBytes * partBytes;
    } else {
      doneBytes -= partBytes;
    }
  }

  /** Writes the next work request, which there must be, into the endpoint's chain. */
  void addNext(MeshEndpoint endpoint, long id, long partBytes, boolean isReported) {
    if (size == 0) {
      endpoint.addPiece(id, isGet, 0, 0, 0, 0, 0, isReported);
    } else {
      int lengthBytes = (int) Math.min(partBytes, lengthsBytes[piece] - doneBytes);
      endpoint.addPiece(
          id,
          isGet,
          localKeys[piece],
          addresses[piece] + doneBytes,
          lengthBytes,
          receiveAddress + remoteAddresses[piece] + doneBytes,
          isGather ? receiveKey : remoteKeys[piece],
          isReported);
      doneBytes += lengthBytes;
      if (doneBytes == lengthsBytes[piece]) {
        piece++;
        doneBytes = 0;
      }
    }
    requestsLeft--;
    hasBegun = true;
  }

  @Override
  public MeshMemory memory() {
    throw new IllegalStateException("a put or get has the memory of its pieces, and none itself");
  }

  @Override
  public void release() {
    for (int i = 0; i < size; i++) {
      memories[i].release();
      memories[i] = null;
      remotes[i] = null;
    }
    size = 0;
    elsewhere = null;
    onRelease.accept(this);
  }
}
