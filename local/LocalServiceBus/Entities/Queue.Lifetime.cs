namespace DroneDelivery.LocalServiceBus.Entities;

internal sealed partial class Queue
{
    internal void Update(QueueOptions options)
    {
        lock (Gate)
        {
            if (_isDeleted)
                throw EntityException.NotFound(Name);
            RequireSame(
                options.RequiresDuplicateDetection,
                Options.RequiresDuplicateDetection,
                nameof(Options.RequiresDuplicateDetection)
            );
            RequireSame(options.RequiresSession, Options.RequiresSession, nameof(Options.RequiresSession));
            RequireSame(options.EnablePartitioning, Options.EnablePartitioning, nameof(Options.EnablePartitioning));
            Contents.Options = options with { Name = Name, Kind = Options.Kind };
            UpdatedAt = Now;
            _sessions?.WakeAll();
            if (_parent is null)
                _journal.Describe(Options);
        }
        DeadLetterQueue?.Update(DeadLetterOptions(Options));
        TransfersSoFar?.Update(TransferDeadLetterOptions(Options));
        if (IsReceiveDisabled)
            Sessions?.RejectWaiting(QueueResult.Disabled);
        Dispatch();
    }

    internal void Restore(
        long lastSequenceNumber,
        IEnumerable<QueuedMessage> messages,
        IEnumerable<(string MessageId, DateTimeOffset SeenAt)>? seen = null,
        IEnumerable<(string SessionId, byte[] State)>? states = null
    )
    {
        lock (Gate)
        {
            foreach (var (messageId, seenAt) in seen ?? [])
                Contents.Restore(messageId, seenAt);
            foreach (var (sessionId, state) in states ?? [])
                _sessions!.RestoreState(_sessions.Of(sessionId), state);
            foreach (var message in messages)
                Contents.Restore(message);
            Contents.Restore(lastSequenceNumber);
        }
    }

    /// <summary>The size of messages, dead letters, and a topic's subscriptions. Reads other queues without their
    /// locks.</summary>
    internal long SizeInBytes
    {
        get
        {
            var deadLetters = (DeadLetterQueue?.SizeInBytes ?? 0) + (TransfersSoFar?.SizeInBytes ?? 0);
            return Contents.SizeInBytes + deadLetters + (Topic?.SubscribedBytes ?? 0);
        }
    }

    /// <summary><c>true</c> if <see cref="SizeInBytes"/> has reached the limit. The last message or batch can exceed
    /// it. Requires the lock.</summary>
    internal bool IsFull
    {
        get
        {
            var limit = Options.MaxSizeInMegabytes * 1024 * 1024;
            if (SizeInBytes < limit)
                return false;
            Contents.ForgetDuplicates();
            return SizeInBytes >= limit;
        }
    }

    public QueueCounts Counts()
    {
        lock (Gate)
        {
            return Contents.ToCounts() with
            {
                DeadLetter = DeadLetterQueue?.CountAll() ?? 0,
                TransferDeadLetter = TransfersSoFar?.CountAll() ?? 0,
            };
        }
    }

    internal void Fail(Exception error)
    {
        if (_parent is not null)
        {
            _parent.Fail(error);
            return;
        }
        var isFirst = Interlocked.CompareExchange(ref _failure, error, null) is null;
        _broker.Defects.Report(
            $"queue '{Name}', which accepts and delivers nothing until it is deleted and created again",
            error
        );
        if (!isFirst)
            return;
        foreach (var part in Parts)
            part.Stop();
        ThreadPool.UnsafeQueueUserWorkItem(
            static queue =>
                queue._broker.Defects.Guard(
                    $"notifying the clients of queue '{queue.Name}' that it has failed",
                    queue.NotifyFailure
                ),
            this,
            preferLocal: false
        );
    }

    /// <summary>The time since the queue, or its topic with all subscriptions, was used; <c>null</c> if a receiver is
    /// waiting or a message is scheduled.</summary>
    internal TimeSpan? UnusedFor()
    {
        Queue[] parts =
        [
            .. Parts,
            .. (Topic?.Subscriptions ?? []).SelectMany(subscription => subscription.Queue.Parts),
        ];
        return parts.Any(part => part.IsInUse) ? null : parts.Min(part => part.SinceLastUse);
    }

    /// <summary>Closes an unused queue to senders, so that no accepted message is deleted with it.</summary>
    /// <returns><c>false</c> if a client has used the queue in the meantime.</returns>
    internal bool TryRetire(TimeSpan minIdleTime)
    {
        lock (Gate)
            return !_isDeleted && !IsInUse && SinceLastUse >= minIdleTime && (_isDeleted = true);
    }

    internal void Delete()
    {
        Dispose();
        _journal.Delete();
    }

    public void Dispose()
    {
        lock (Gate)
            _isDeleted = true;
        Sessions?.RejectWaiting(QueueResult.Deleted);
        while (Change(false, () => Contents.Clear(MaxPerHold))) { }
        lock (Gate)
            Contents.Release();
        Timer.Dispose();
        foreach (var part in Parts[1..])
            part.Dispose();
    }

    private void NotifyFailure()
    {
        Sessions?.RejectWaiting(QueueResult.Failed);
        _onFailed?.Invoke(this);
    }

    private void Stop()
    {
        _dispatcher.Stop();
        Timer.Dispose();
        lock (Gate)
            _sessions?.Stop();
    }

    private bool IsInUse
    {
        get
        {
            lock (Gate)
            {
                return Use.Receivers > 0
                    || Sessions?.HasWaiting == true
                    || Contents.Store.CountOf(MessageState.Scheduled) > 0;
            }
        }
    }

    private TimeSpan SinceLastUse => Now - new[] { AccessedAt, UpdatedAt, Use.EndedAt }.Max();

    private long CountAll()
    {
        lock (Gate)
            return Contents.Store.Count;
    }

    private void RequireSame(bool wanted, bool present, string option)
    {
        if (wanted != present)
        {
            throw new EntityException(
                EntityFailure.InvalidOption,
                $"{option} of queue '{Name}' cannot be changed. Delete the queue and create it again."
            );
        }
    }

    /// <summary>Dead-letter queues inherit the lock settings of their queue but not its limits.</summary>
    private static QueueOptions DeadLetterOptions(QueueOptions options) =>
        new($"{options.Name}/$DeadLetterQueue")
        {
            ForwardTo = options.ForwardDeadLetteredMessagesTo,
            LockDuration = options.LockDuration,
            MaxDeliveryCount = options.MaxDeliveryCount,
            MaxMessageSize = options.MaxMessageSize,
        };

    private static QueueOptions TransferDeadLetterOptions(QueueOptions options) =>
        DeadLetterOptions(options) with
        {
            Name = $"{options.Name}/$Transfer/$DeadLetterQueue",
            ForwardTo = null,
        };
}
