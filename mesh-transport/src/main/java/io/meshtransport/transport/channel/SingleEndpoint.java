// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.endpoint.WorkRequestId;
import java.util.function.Consumer;

/** The one endpoint of a channel over one queue pair: the channel breaks with it. */
public final class SingleEndpoint implements ChannelEndpoints {
  private final ChannelCore core;
  private final VerbsEndpoint endpoint;

  public SingleEndpoint(ChannelCore core, VerbsEndpoint endpoint) {
    this.core = core;
    this.endpoint = endpoint;
  }

  @Override
  public int pollOthers() {
    return 0;
  }

  @Override
  public void requestFailed(VerbsEndpoint from, int kind, TransportException why) {
    core.shutdown.breakWith(why);
  }

  @Override
  public void endpointFailed(VerbsEndpoint from, TransportException why) {
    core.shutdown.breakWith(why);
  }

  @Override
  public void keepaliveAnswered(VerbsEndpoint from) {
    // The core has noted that the peer lives.
  }

  @Override
  public void sendKeepalives() {
    core.check(endpoint.sendEmpty(WorkRequestId.KEEPALIVE), "a keepalive");
  }

  @Override
  public void cableCut(int interfaceIndex, TransportException why) {
    // It is the last: the cable may be mended before the peer is out of patience.
  }

  @Override
  public void failWithoutCarrier(long nowNs) {
    if (core.clock.isProbed()) {
      core.clock.failIfWithoutCarrier(endpoint, nowNs);
    }
  }

  @Override
  public void stop(Exception context) {
    core.teardown.stop(endpoint, context);
  }

  @Override
  public void forEach(Consumer<VerbsEndpoint> action) {
    action.accept(endpoint);
  }

  @Override
  public VerbsEndpoint endpointToParkOn() {
    return endpoint;
  }

  @Override
  public long longestParkNs(long silenceNs) {
    return silenceNs;
  }
}
