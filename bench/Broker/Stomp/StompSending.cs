using System.Globalization;
using System.Text;

namespace DroneDelivery.Bench.Broker.Stomp;

/// <summary>The SEND frame of the measured message. Only its receipt differs from one message to the next.</summary>
internal sealed class SendFrame
{
    private readonly byte[] _untilReceipt;
    private readonly byte[] _afterReceipt;

    public SendFrame(string queue, bool isPersistent, int properties)
    {
        var headers = string.Concat(
            MeasuredMessage.AsText(properties).Select(property => $"{property.Name}:{property.Value}\n")
        );
        var persistent = isPersistent ? "true" : "false";
        _untilReceipt = Encoding.UTF8.GetBytes(
            $"SEND\ndestination:{queue}\npersistent:{persistent}\n"
                + $"{headers}content-length:{MeasuredMessage.Size}\nreceipt:"
        );
        _afterReceipt = [(byte)'\n', (byte)'\n', .. new byte[MeasuredMessage.Size], 0];
    }

    public void WriteTo(StompConnection connection, int receipt)
    {
        Span<byte> digits = stackalloc byte[10];
        receipt.TryFormat(digits, out var length, default, CultureInfo.InvariantCulture);
        connection.Write(_untilReceipt);
        connection.Write(digits[..length]);
        connection.Write(_afterReceipt);
    }
}

/// <summary>How many messages all senders of a run still have to send.</summary>
internal sealed class Unsent(int count)
{
    private int _left = count;

    /// <returns>False: all are sent.</returns>
    public bool TryTake() => Interlocked.Decrement(ref _left) >= 0;
}

/// <summary>Sends over one connection, with a number of messages whose receipt has not come.</summary>
internal static class StompSending
{
    public static async Task Run(StompConnection connection, SendFrame frame, int window, Unsent messages)
    {
        var sent = 0;
        var answered = 0;
        while (true)
        {
            while (sent - answered < window && messages.TryTake())
                frame.WriteTo(connection, sent++);
            if (sent == answered)
                return;
            await connection.FlushAsync();
            await connection.ReadAsync();
            answered += TakeReceipts(connection);
        }
    }

    private static int TakeReceipts(StompConnection connection)
    {
        var count = 0;
        while (connection.TryTake(out var frame))
        {
            if (!frame.Is("RECEIPT"u8))
            {
                throw new InvalidDataException(
                    $"The broker answered {Encoding.UTF8.GetString(frame.Command)} to SEND."
                );
            }

            count++;
        }
        return count;
    }
}
