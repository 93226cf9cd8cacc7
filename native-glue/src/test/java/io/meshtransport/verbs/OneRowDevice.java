// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import io.meshtransport.nic.GidEntry;
import java.util.List;
import java.util.Optional;

/** A device as one of its addresses sees it: its GID table has that row only. */
public record OneRowDevice(VerbsDevice device, GidEntry row) implements VerbsDevice {
  @Override
  public String name() {
    return device.name();
  }

  @Override
  public DeviceAttributes query() throws VerbsException {
    return device.query();
  }

  @Override
  public PortAttributes queryPort(int port) throws VerbsException {
    return device.queryPort(port);
  }

  @Override
  public List<GidEntry> gidTable(int port) throws VerbsException {
    return device.gidTable(port).stream().filter(row::equals).toList();
  }

  @Override
  public ProtectionDomain allocateProtectionDomain() throws VerbsException {
    return device.allocateProtectionDomain();
  }

  @Override
  public CompletionChannel createCompletionChannel() throws VerbsException {
    return device.createCompletionChannel();
  }

  @Override
  public CompletionEvents createCompletionEvents() throws VerbsException {
    return device.createCompletionEvents();
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth) throws VerbsException {
    return device.createCompletionQueue(depth);
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth, CompletionChannel channel)
      throws VerbsException {
    return device.createCompletionQueue(depth, channel);
  }

  @Override
  public Optional<AsyncEvent> pollAsyncEvent() throws VerbsException {
    return device.pollAsyncEvent();
  }

  @Override
  public int wirePort() {
    return device.wirePort();
  }

  @Override
  public void close() throws VerbsException {
    device.close();
  }
}
