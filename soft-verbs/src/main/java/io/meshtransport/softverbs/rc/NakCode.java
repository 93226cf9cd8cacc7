// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.CompletionStatus;

/**
 * Why a responder refused a request for good, the requester's completion status for it, and the
 * event for the responder's owner (the NAK codes of InfiniBand 1.4 chapter 9).
 */
public enum NakCode {
  /** The two sides disagree about the first sequence number. */
  PSN_SEQUENCE(0, CompletionStatus.RETRY_EXC_ERR, AsyncEvent.Type.QP_REQ_ERR),
  INVALID_REQUEST(1, CompletionStatus.REM_INV_REQ_ERR, AsyncEvent.Type.QP_REQ_ERR),
  REMOTE_ACCESS(2, CompletionStatus.REM_ACCESS_ERR, AsyncEvent.Type.QP_ACCESS_ERR),
  REMOTE_OPERATION(3, CompletionStatus.REM_OP_ERR, AsyncEvent.Type.QP_FATAL);

  private static final NakCode[] BY_CODE = values();

  private final int code;
  private final CompletionStatus status;
  private final AsyncEvent.Type event;

  NakCode(int code, CompletionStatus status, AsyncEvent.Type event) {
    this.code = code;
    this.status = status;
    this.event = event;
  }

  public int code() {
    return code;
  }

  CompletionStatus status() {
    return status;
  }

  AsyncEvent.Type event() {
    return event;
  }

  /** The code of a frame; an unknown one counts as an operational error of the peer. */
  static NakCode ofCode(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : REMOTE_OPERATION;
  }
}
