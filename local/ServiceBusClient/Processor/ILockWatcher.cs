namespace Azure.Messaging.ServiceBus;

/// <summary>What a handler gets.</summary>
internal interface ILockWatcher
{
    /// <summary>Null: the handler has not asked to be told of a lost lock.</summary>
    LockWatch? Watch { get; }
}
