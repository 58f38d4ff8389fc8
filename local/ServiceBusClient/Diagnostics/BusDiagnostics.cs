using System.Diagnostics;

namespace Azure.Messaging.ServiceBus;

/// <summary>
/// Tells <see cref="DiagnosticListener"/> subscribers of operations on one entity, in the words that collectors of Azure libraries read:
/// events <c>NAME.Start</c>, <c>.Stop</c> and <c>.Exception</c>, with the tags below set before the start. Without a subscriber
/// an operation costs one look at the listener.
/// </summary>
internal sealed class BusDiagnostics(string fullyQualifiedNamespace, string entityPath)
{
    public const string ProcessMessage = "ServiceBusProcessor.ProcessMessage";
    public const string ProcessSessionMessage = "ServiceBusSessionProcessor.ProcessSessionMessage";
    private static readonly DiagnosticListener Listener = new("Azure.Messaging.ServiceBus");

    /// <summary>An operation on a message that was received; on none in particular when it is null.</summary>
    public Task<T> RunAsync<TState, T>(string name, ServiceBusReceivedMessage? about, Func<TState, Task<T>> operation, TState state) =>
        Listener.IsEnabled(name)
            ? RunAsync(NewActivity(name, "client", about is null ? [] : Links([about], TraceContext.Of)), operation, state)
            : operation(state);

    /// <summary>An operation on messages to send.</summary>
    public Task<T> RunAsync<TState, T>(
        string name, IReadOnlyList<ServiceBusMessage> about, Func<TState, Task<T>> operation, TState state) =>
        Listener.IsEnabled(name)
            ? RunAsync(NewActivity(name, "client", Links(about, TraceContext.Of)), operation, state)
            : operation(state);

    /// <summary>A receive, told when it is over because only then it is known which messages it was about.</summary>
    public void Received(string name, DateTimeOffset started, IReadOnlyList<ServiceBusReceivedMessage> messages)
    {
        if (!Listener.IsEnabled(name))
            return;
        var activity = NewActivity(name, "client", Links(messages, TraceContext.Of));
        activity.SetStartTime(started.UtcDateTime);
        Listener.StartActivity(activity, activity);
        Listener.StopActivity(activity, activity);
    }

    /// <summary>The handling of a message, as a child of what sent it.</summary>
    /// <param name="name">Of the operation.</param>
    /// <param name="message">The message.</param>
    /// <param name="handle">Handles it; the exception that it returns is the handler's failure.</param>
    /// <param name="state">Handed to <paramref name="handle"/>.</param>
    /// <returns>The handler's failure.</returns>
    public Task<Exception?> ProcessAsync<TState>(
        string name, ServiceBusReceivedMessage message, Func<TState, ServiceBusReceivedMessage, Task<Exception?>> handle, TState state) =>
        Listener.IsEnabled(name) ? ObservedProcessAsync(name, message, handle, state) : handle(state, message);

    /// <summary>Gives the message a trace context of its own, unless it carries one.</summary>
    public void Instrument(ServiceBusMessage message)
    {
        const string name = "Message";
        if (TraceContext.IsOn(message.ApplicationProperties))
            return;
        if (!Listener.IsEnabled(name))
        {
            if (Activity.Current is { IdFormat: ActivityIdFormat.W3C } current)
                TraceContext.Set(message.ApplicationProperties, current);
            return;
        }

        var activity = NewActivity(name, "producer", []);
        Listener.StartActivity(activity, activity);
        TraceContext.Set(message.ApplicationProperties, activity);
        Listener.StopActivity(activity, activity);
    }

    private static async Task<T> RunAsync<TState, T>(BusActivity activity, Func<TState, Task<T>> operation, TState state)
    {
        Listener.StartActivity(activity, activity);
        var running = operation(state);
        if (await running.FailureAsync() is { } error)
            Failed(activity, error);
        Listener.StopActivity(activity, activity);
        return await running;
    }

    private async Task<Exception?> ObservedProcessAsync<TState>(
        string name,
        ServiceBusReceivedMessage message,
        Func<TState, ServiceBusReceivedMessage, Task<Exception?>> handle,
        TState state)
    {
        var parent = TraceContext.Of(message);
        var activity = NewActivity(name, "consumer", parent is null ? [] : [TraceContext.Link(parent, message.EnqueuedTime)]);
        if (parent is not null)
            activity.SetParentId(parent);
        Listener.StartActivity(activity, activity);
        try
        {
            var failure = await handle(state, message);
            if (failure is not null)
                Failed(activity, failure);
            return failure;
        }
        catch (Exception error)
        {
            Failed(activity, error);
            throw;
        }
        finally
        {
            Listener.StopActivity(activity, activity);
        }
    }

    private static void Failed(BusActivity activity, Exception error)
    {
        activity.SetStatus(ActivityStatusCode.Error, error.Message);
        Listener.Write($"{activity.OperationName}.Exception", error);
    }

    private static List<Activity> Links<T>(IReadOnlyList<T> messages, Func<T, string?> traceParent) =>
        [.. messages.Select(traceParent).OfType<string>().Select(TraceContext.Link)];

    // Type and target of what is recorded are read from the tags when the activity starts.
    private BusActivity NewActivity(string name, string kind, IReadOnlyList<Activity> links)
    {
        var activity = new BusActivity(name, links);
        activity.SetIdFormat(ActivityIdFormat.W3C);
        activity.AddTag("kind", kind);
        activity.AddTag("az.namespace", "Microsoft.ServiceBus");
        activity.AddTag("component", "servicebus");
        activity.AddTag("peer.address", fullyQualifiedNamespace);
        activity.AddTag("message_bus.destination", entityPath);
        return activity;
    }
}
