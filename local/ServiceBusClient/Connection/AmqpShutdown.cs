using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

internal static class AmqpShutdown
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Ends a session that is no longer needed. A broker that is gone or does not answer is no failure here: the session
    /// is gone either way.
    /// </summary>
    public static async Task EndQuietlyAsync(this AmqpSession session)
    {
        using var patience = new CancellationTokenSource(Patience);
        try
        {
            await session.EndAsync(error: null, patience.Token);
        }
        catch (Exception error) when (error is AmqpException or OperationCanceledException or IOException)
        {
        }
    }

    /// <inheritdoc cref="EndQuietlyAsync"/>
    public static async Task CloseQuietlyAsync(this AmqpConnection connection)
    {
        using var patience = new CancellationTokenSource(Patience);
        try
        {
            await connection.CloseAsync(error: null, patience.Token);
        }
        catch (Exception error) when (error is AmqpException or OperationCanceledException or IOException)
        {
            connection.Abort();
        }

        await connection.DisposeAsync();
    }
}
