namespace DroneDelivery.Amqp;

public sealed record AmqpConnectionOptions
{
    /// <summary>Names this end toward the peer.</summary>
    public string ContainerId { get; set; } = Guid.NewGuid().ToString("N");

    /// <summary>
    /// Told to the peer, who must send something at least this often. The connection ends after twice as long without a byte:
    /// the grace that AMQP 1.0 §2.4.5 asks for. Zero: no limit.
    /// </summary>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>Bytes of the largest frame that this end accepts; at least 512 (AMQP 1.0 §2.7.1).</summary>
    public uint MaxFrameSize { get; set; } = 65536;

    /// <summary>The highest channel number; one session uses one channel.</summary>
    public ushort ChannelMax { get; set; } = 4999;

    /// <summary>Links that the peer may have attached at a time, all sessions together; one more ends its session.</summary>
    public int MaxLinks { get; set; } = 5000;

    /// <summary>
    /// Bytes of messages that the peer has begun and not finished, all links together, and of what is kept for it
    /// (<see cref="AmqpConnection.TryKeep"/>); the link that goes beyond is detached. One message alone may have as many as its link
    /// allows. In the other direction: bytes of messages that wait amid their frames for the
    /// peer's windows; with so many no further message is begun.
    /// </summary>
    public long MaxPartialBytes { get; set; } = 16 * 1024 * 1024;

    /// <summary>
    /// Deliveries that the peer may leave unsettled, all sessions together. With so many <see cref="SenderLink.TrySend"/> sends no
    /// further one until an eighth of them is settled.
    /// </summary>
    public int MaxUnsettled { get; set; } = 65536;

    /// <summary>Whether to let a client in. Everybody is when null.</summary>
    public Func<SaslInit, bool>? Authenticate { get; set; }

    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>How long protocol headers, SASL and open may take together, and how long a close waits for the peer's.</summary>
    public TimeSpan HandshakeTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Unsent bytes from which <see cref="AmqpConnection.IsWriteBacklogged"/> holds; it ends at half of them. With four times as many
    /// a server reads nothing more from that client until they have gone down to this.
    /// </summary>
    public int WriteBacklog { get; set; } = 256 * 1024;
}
