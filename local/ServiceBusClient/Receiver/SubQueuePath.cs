namespace Azure.Messaging.ServiceBus;

internal static class SubQueuePath
{
    public static string Of(string entityPath, SubQueue subQueue) => subQueue switch
    {
        SubQueue.None => entityPath,
        SubQueue.DeadLetter => $"{entityPath}/$DeadLetterQueue",
        SubQueue.TransferDeadLetter => $"{entityPath}/$Transfer/$DeadLetterQueue",
        _ => throw new ArgumentOutOfRangeException(nameof(subQueue), subQueue, "There is no such sub-queue."),
    };
}
