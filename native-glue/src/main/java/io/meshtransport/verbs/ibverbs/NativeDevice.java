// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Pointer;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.DeviceAttributes;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.PortAttributes;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.List;
import java.util.Optional;

/** An opened device of libibverbs (struct ibv_context). Any thread. */
final class NativeDevice extends NativeObject implements VerbsDevice {
  private final String name;
  private final Libibverbs library;
  private final InlineVerbs inline;
  private final DeviceQueries queries;
  private final NativeAsyncEvents events;
  private final int completionVectors;

  /**
   * Takes over an opened context.
   *
   * @throws VerbsException if its layout is not what this library knows, or its file descriptors
   *     cannot be set up; the context is then still the caller's
   */
  NativeDevice(String name, long context, Libibverbs library) throws VerbsException {
    super(context, "device " + name);
    this.name = name;
    this.library = library;
    this.inline = library.inlineVerbs(context);
    this.queries = new DeviceQueries(this);
    this.events = new NativeAsyncEvents(this);
    this.completionVectors = new Pointer(context).getInt(Layout.Context.NUM_COMP_VECTORS);
  }

  Libibverbs library() {
    return library;
  }

  /** Rows of the GID tables of all ports, valid or not. Inside the gate. */
  int gidRowsOfAllPorts() throws VerbsException {
    return queries.gidRowsOfAllPorts();
  }

  /** Refuses a port that is not there. Inside the gate, or that of a child. */
  void requirePort(int port) throws VerbsException {
    queries.requirePort(port);
  }

  /** As {@link #gidTable}, inside the gate or that of a child. */
  List<GidEntry> gidTableInside(int port) throws VerbsException {
    return queries.gidTable(port);
  }

  ExportedVerbs exported() {
    return library.exported();
  }

  InlineVerbs inline() {
    return inline;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public DeviceAttributes query() throws VerbsException {
    return inside(() -> queries.device(), this);
  }

  @Override
  public PortAttributes queryPort(int port) throws VerbsException {
    return inside(() -> queries.port(port), this);
  }

  @Override
  public List<GidEntry> gidTable(int port) throws VerbsException {
    return inside(() -> queries.gidTable(port), this);
  }

  @Override
  public int partitionKey(int port, int index) throws VerbsException {
    return inside(() -> queries.partitionKey(port, index), this);
  }

  @Override
  public int completionVectors() {
    return completionVectors;
  }

  @Override
  public ProtectionDomain allocateProtectionDomain() throws VerbsException {
    return inside(() -> NativeProtectionDomain.allocate(this), this);
  }

  @Override
  public CompletionChannel createCompletionChannel() throws VerbsException {
    return inside(() -> NativeCompletionChannel.create(this), this);
  }

  @Override
  public CompletionEvents createCompletionEvents() throws VerbsException {
    return inside(NativeCompletionEvents::create, this);
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth) throws VerbsException {
    return inside(() -> NativeCompletionQueue.create(this, depth), this);
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth, CompletionChannel channel)
      throws VerbsException {
    return createCompletionQueue(depth, channel, 0);
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth, CompletionChannel channel, int vector)
      throws VerbsException {
    if (vector < 0 || vector >= completionVectors) {
      throw VerbsException.noSuchVector(this, vector);
    }
    NativeCompletionChannel own = own(NativeCompletionChannel.class, channel);
    return inside(() -> NativeCompletionQueue.create(this, depth, own, vector), this, own);
  }

  @Override
  public Optional<AsyncEvent> pollAsyncEvent() throws VerbsException {
    return inside(() -> events.poll(), this);
  }

  /** Always 0: RoCE v2 has one port for all. */
  @Override
  public int wirePort() {
    return 0;
  }

  /**
   * An object, as one of this device.
   *
   * @throws VerbsException EINVAL if it is another device's or another provider's
   */
  <T extends DeviceObject> T own(Class<T> type, Object object) throws VerbsException {
    if (type.isInstance(object) && type.cast(object).device() == this) {
      return type.cast(object);
    }
    throw new VerbsException(
        Errno.EINVAL, object + " was not made by device " + name + " as it is opened here");
  }

  @Override
  int destroy() {
    int errno = exported().ibv_close_device(pointer());
    if (errno == 0) {
      OpenDevices.remove(this);
    }
    return errno;
  }

  @Override
  String destroyCall() {
    return "ibv_close_device";
  }
}
