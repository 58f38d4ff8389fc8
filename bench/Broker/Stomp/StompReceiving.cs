namespace DroneDelivery.Bench.Broker.Stomp;

/// <summary>
/// Receives over one connection and acknowledges each message by itself. A message counts when its ACK is written, or when its
/// receipt has come, if receipts are asked for.
/// </summary>
internal sealed class StompReceiving(StompConnection connection, bool withReceipts, Remaining remaining)
{
    /// <summary>Ends when the broker has answered <see cref="StopAsync"/>.</summary>
    /// <param name="queue">Its address.</param>
    /// <param name="prefetch">0: the next message comes after the acknowledgement of the one before.</param>
    public async Task RunAsync(string queue, uint prefetch)
    {
        connection.Write(
            "SUBSCRIBE",
            ("id", "0"),
            ("destination", queue),
            ("ack", "client-individual"),
            ("activemq.prefetchSize", $"{Math.Max(1, prefetch)}")
        );
        await connection.FlushAsync();
        while (true)
        {
            await connection.ReadAsync();
            var (settled, isOver) = HandleFrames();
            if (isOver)
                return;
            await connection.FlushAsync();
            remaining.Take(settled);
        }
    }

    /// <summary>To be called when no message remains: then nothing else is written.</summary>
    public Task StopAsync()
    {
        connection.Write("DISCONNECT", ("receipt", "goodbye"));
        return connection.FlushAsync();
    }

    private (int Settled, bool IsOver) HandleFrames()
    {
        var settled = 0;
        while (connection.TryTake(out var frame))
        {
            var isMessage = frame.Is("MESSAGE"u8);
            if (isMessage)
                Acknowledge(frame);
            else if (frame.Header("receipt-id"u8).SequenceEqual("goodbye"u8))
                return (settled, true);
            if (isMessage != withReceipts)
                settled++;
        }
        return (settled, false);
    }

    private void Acknowledge(StompFrame message)
    {
        connection.Write("ACK\nid:"u8);
        connection.Write(message.Header("ack"u8));
        connection.Write(withReceipts ? "\nreceipt:a\n\n\0"u8 : "\n\n\0"u8);
    }
}
