namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>Stores nothing except the order of the recorded messages and ids.</summary>
internal sealed class RecordingJournal : IJournal, IQueueJournal
{
    private bool _hasEnded;

    public List<string> Recorded { get; } = [];

    public IQueueJournal DeadLetters => NoJournal.Instance;

    public IQueueJournal TransferDeadLetters => NoJournal.Instance;

    public string? WriteError => null;

    /// <summary>The body of the message that can't be recorded; <c>null</c> to record all.</summary>
    public string? BreaksAt { get; set; }

    public bool TryMove(Action move)
    {
        if (_hasEnded)
            return false;
        Recorded.Add("begin");
        try
        {
            move();
            return true;
        }
        finally
        {
            Recorded.Add("end");
        }
    }

    public void EndMoves() => _hasEnded = true;

    public IQueueJournal Add(QueueOptions options) => this;

    public void Record(Transition transition, QueuedMessage message)
    {
        if (BreaksAt is not null && QueueFixture.TextOf(message) == BreaksAt)
            throw new InvalidOperationException("broken");
        Recorded.Add($"{transition} {message.SequenceNumber}");
    }

    public void Remember(string messageId, DateTimeOffset seenAt) => Recorded.Add($"seen {messageId}");

    public void WhenStored(Action call) => call();
}
