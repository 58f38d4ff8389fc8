namespace Azure.Messaging.ServiceBus;

/// <summary>Tells a processor's error handler of errors.</summary>
internal sealed class ErrorReports(
    Func<ProcessErrorEventArgs, Task> handler, string fullyQualifiedNamespace, string entityPath, string identifier)
{
    private int _clientClosed;

    public async Task ReportAsync(Exception error, ServiceBusErrorSource source, CancellationToken stopping)
    {
        try
        {
            await handler(new ProcessErrorEventArgs(error, source, fullyQualifiedNamespace, entityPath, identifier, stopping));
        }
#pragma warning disable CA1031 // An error handler that fails has nobody left to tell, and processing has to go on.
        catch
        {
        }
#pragma warning restore CA1031
    }

    /// <summary>The client was closed under a running processor. All loops notice; one says so.</summary>
    public Task ReportClientClosedAsync(ObjectDisposedException error, CancellationToken stopping) =>
        Interlocked.Exchange(ref _clientClosed, 1) == 0
            ? ReportAsync(error, ServiceBusErrorSource.Receive, stopping)
            : Task.CompletedTask;
}
