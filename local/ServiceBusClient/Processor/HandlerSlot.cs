namespace Azure.Messaging.ServiceBus;

/// <summary>The events of processors have one handler at most.</summary>
internal static class HandlerSlot
{
    public static T Add<T>(T? current, T value, string name) where T : Delegate
    {
        ArgumentNullException.ThrowIfNull(value, name);
        return current is null ? value : throw new NotSupportedException($"{name} has a handler already; there can be one only.");
    }

    public static T? Remove<T>(T? current, T value, string name) where T : Delegate =>
        Equals(current, value) ? null : throw new ArgumentException($"This handler was not added to {name}.", name);

    public static void RequireBoth(Delegate? processMessage, Delegate? processError)
    {
        if (processMessage is not null && processError is not null)
            return;
        var missing = processMessage is null
            ? nameof(ServiceBusProcessor.ProcessMessageAsync)
            : nameof(ServiceBusProcessor.ProcessErrorAsync);
        throw new InvalidOperationException($"The processor needs a handler for {missing} before it starts.");
    }
}
