package io.meshtransport.transport;

/**
 * What all links of a transport have in common, from the configuration.
 *
 * @param mtuBytes largest path MTU to use
 * @param trafficClass IP type of service
 * @param serviceLevel of InfiniBand and PFC
 * @param ackTimeout code: 4.096 us x 2^code
 * @param retryCount tries after the first
 * @param rnrRetry tries after an empty receive queue
 */
record LinkSettings(
    int mtuBytes,
    int trafficClass,
    int serviceLevel,
    int ackTimeout,
    int retryCount,
    int rnrRetry) {
  /**
   * The same for the receiving end of a channel, which sends announcements alone. A first burst of
   * them may be more than the peer has receives for, until its owner next looks: the device tries
   * for as long as the peer lives (7 is endless, ibv_modify_qp(3)). Nobody waits for it: what the
   * owner here waits for are messages, for which the peer's owner must look as well.
   */
  LinkSettings forAnnouncements() {
    return withRnrRetry(ENDLESS_RNR_RETRY);
  }

  /** The same with another number of tries after an empty receive queue. */
  LinkSettings withRnrRetry(int times) {
    return new LinkSettings(mtuBytes, trafficClass, serviceLevel, ackTimeout, retryCount, times);
  }

  static final int ENDLESS_RNR_RETRY = 7;

  /**
   * Peers are one cable away; the field's tools use 64, the usual default of IP hosts (RFC 1700).
   */
  static final int HOP_LIMIT = 64;

  /**
   * Reads of one channel under way at once, where both devices do as many: what ConnectX adapters
   * grant at most. Each costs the serving device an entry for as long as the channel lives.
   */
  static final int MAX_READS = 16;

  /**
   * Code 12, 0.64 ms (InfiniBand 1.4 table 46). Never used in steady state: by then as many
   * receives are posted as are needed.
   */
  static final int MIN_RNR_TIMER = 12;
}
