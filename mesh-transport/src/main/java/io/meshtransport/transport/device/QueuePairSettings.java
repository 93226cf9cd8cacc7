// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.GidType;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.verbs.ReadyToSendAttributes;
import java.util.concurrent.TimeUnit;

/**
 * What all queue pairs of a transport have in common, from the configuration.
 *
 * @param mtuBytes largest path MTU to use
 * @param trafficClass IP type of service
 * @param serviceLevel of InfiniBand and PFC
 * @param ackTimeout code: 4.096 us x 2^code
 * @param retryCount tries after the first
 * @param rnrRetry tries after an empty receive queue
 * @param softSilenceNs how long a peer's host may be silent, in software
 */
public record QueuePairSettings(
    int mtuBytes,
    int trafficClass,
    int serviceLevel,
    int ackTimeout,
    int retryCount,
    int rnrRetry,
    long softSilenceNs) {
  /** The largest path MTU there is, in bytes. */
  private static final int MAX_MTU_BYTES = 4096;

  public static QueuePairSettings of(MeshConfig config) {
    return new QueuePairSettings(
        config.mtu().orElse(MAX_MTU_BYTES),
        config.trafficClass(),
        config.serviceLevel(),
        config.ibTimeout(),
        config.ibRetryCount(),
        config.rnrRetry(),
        TimeUnit.MILLISECONDS.toNanos(config.silenceMs()));
  }

  /** With the usual silence of software. */
  public QueuePairSettings(
      int mtuBytes,
      int trafficClass,
      int serviceLevel,
      int ackTimeout,
      int retryCount,
      int rnrRetry) {
    this(
        mtuBytes,
        trafficClass,
        serviceLevel,
        ackTimeout,
        retryCount,
        rnrRetry,
        ReadyToSendAttributes.SOFT_SILENCE_NS);
  }

  /** The same with the priority of one connection. */
  public QueuePairSettings with(ConnectOptions options) {
    return new QueuePairSettings(
        mtuBytes,
        options.trafficClass().orElse(trafficClass),
        options.serviceLevel().orElse(serviceLevel),
        ackTimeout,
        retryCount,
        rnrRetry,
        softSilenceNs);
  }

  /**
   * The same for a wire on which messages meet no receive now and then. An adapter waits for one as
   * long as the peer lives (7 is endless, ibv_modify_qp(3)). Soft-RoCE (kernel 6.1) neither
   * restarts the transport timer on an RNR NAK nor gives a retry back, so there it waits for the
   * time of all retries, which is therefore longer: 7 x 1.07 s at least, as C plugins have it.
   */
  public QueuePairSettings withoutFlowControl() {
    return new QueuePairSettings(
        mtuBytes,
        trafficClass,
        serviceLevel,
        Math.max(ackTimeout, PATIENT_ACK_TIMEOUT),
        retryCount,
        ENDLESS_RNR_RETRY,
        softSilenceNs);
  }

  /**
   * How long a queue pair tries to reach a peer that is silent, in nanoseconds: each try lasts at
   * least its timeout (InfiniBand 1.4, 9.7.6.1.3). Long.MAX_VALUE if it never gives up.
   *
   * @param type of the queue pair's GID
   */
  public long triesForNs(GidType type) {
    if (type == GidType.SOFT) {
      return softSilenceNs;
    }
    return ackTimeout == 0
        ? Long.MAX_VALUE
        : (retryCount + 1L) * (ACK_TIMEOUT_UNIT_NS << ackTimeout);
  }

  /** 4.096 us, which the code of a timeout doubles. */
  private static final long ACK_TIMEOUT_UNIT_NS = 4096;

  private static final int ENDLESS_RNR_RETRY = 7;

  /** Code 18, 1.07 s. */
  private static final int PATIENT_ACK_TIMEOUT = 18;

  /**
   * Peers are one cable away; the field's tools use 64, the usual default of IP hosts (RFC 1700).
   */
  public static final int HOP_LIMIT = 64;

  /**
   * Reads of one channel under way at once, where both devices do as many: what ConnectX adapters
   * grant at most. Each costs the serving device an entry for as long as the channel lives.
   */
  static final int MAX_READS = 16;

  /**
   * Code 12, 0.64 ms (InfiniBand 1.4 table 46). Unused on our own wire, where nothing is sent
   * without a receive for it.
   */
  public static final int MIN_RNR_TIMER = 12;
}
