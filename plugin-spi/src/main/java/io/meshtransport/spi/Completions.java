// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * What one {@link Poller#poll} reports: a table that the caller allocates once and that each poll
 * fills from entry 0 on. Entries are valid until the next poll. Confined to the thread that polls;
 * allocates nothing after it is made.
 */
public final class Completions {
  private final Connection[] connections;
  private final CompletionKind[] kinds;
  private final long[] userData;
  private final long[] requests;
  private final long[] lengthsBytes;
  private final long[] offsetsBytes;
  private final TransportException[] failures;
  private int count;

  /**
   * @param capacity most entries of one poll, 1 or more
   */
  public Completions(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a capacity of " + capacity + "; at least 1 is needed");
    }
    connections = new Connection[capacity];
    kinds = new CompletionKind[capacity];
    userData = new long[capacity];
    requests = new long[capacity];
    lengthsBytes = new long[capacity];
    offsetsBytes = new long[capacity];
    failures = new TransportException[capacity];
  }

  /** Most entries of one poll. */
  public int capacity() {
    return kinds.length;
  }

  /** Entries that the last poll has filled. */
  public int count() {
    return count;
  }

  /** Removes all entries; for implementations of {@link Poller}. */
  public void clear() {
    for (int i = 0; i < count; i++) {
      connections[i] = null;
      failures[i] = null;
    }
    count = 0;
  }

  /** Whether all entries are filled; for implementations of {@link Poller}. */
  public boolean isFull() {
    return count == kinds.length;
  }

  /**
   * Adds an entry; for implementations of {@link Poller}.
   *
   * @param failure null unless the kind is FAILED or CLOSED
   */
  public void add(
      Connection connection,
      CompletionKind kind,
      long requestUserData,
      long request,
      long lengthBytes,
      TransportException failure) {
    connections[count] = connection;
    kinds[count] = kind;
    userData[count] = requestUserData;
    requests[count] = request;
    lengthsBytes[count] = lengthBytes;
    offsetsBytes[count] = 0;
    failures[count] = failure;
    count++;
  }

  /**
   * Adds a message of a {@link MultiReceive}; for implementations of {@link Poller}.
   *
   * @param offsetBytes where it begins in the memory of the receive
   */
  public void addMessage(
      Connection connection,
      long requestUserData,
      long request,
      long offsetBytes,
      long lengthBytes) {
    add(connection, CompletionKind.MESSAGE, requestUserData, request, lengthBytes, null);
    offsetsBytes[count - 1] = offsetBytes;
  }

  /** Where it happened. */
  public Connection connection(int index) {
    return connections[index];
  }

  /** What happened. */
  public CompletionKind kind(int index) {
    return kinds[index];
  }

  /**
   * What the caller gave with the request; 0 if it gave nothing, and for CLOSED. Of a NOTICE it is
   * the peer's number, of UNEXPECTED the tag, each as an unsigned one.
   */
  public long userData(int index) {
    return userData[index];
  }

  /** What the peer gave with its put ({@link Connection#iput(TransferList, int, long, long)}). */
  public int notice(int index) {
    return (int) userData[index];
  }

  /** The tag of the peer's message, of UNEXPECTED. */
  public int tag(int index) {
    return (int) userData[index];
  }

  /**
   * The number of the request that has ended, or of MESSAGE that goes on; -1 for NOTICE, UNEXPECTED
   * and CLOSED.
   */
  public long request(int index) {
    return requests[index];
  }

  /**
   * Bytes sent, received, put, got or noticed; of a group of receives and of the end of a {@link
   * MultiReceive} the sum, of UNEXPECTED those that wait. 0 for failures.
   */
  public long lengthBytes(int index) {
    return lengthsBytes[index];
  }

  /** Where a MESSAGE begins in its {@link RegisteredMemory}, in bytes; 0 for all other kinds. */
  public long offsetBytes(int index) {
    return offsetsBytes[index];
  }

  /** Why it failed, of FAILED and CLOSED; else null. */
  public TransportException failure(int index) {
    return failures[index];
  }
}
