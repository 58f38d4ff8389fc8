namespace DroneDelivery.Model.Tests.Support;

/// <summary>
/// A second, simple implementation of the rules for locks, prefetch, and renewal: lists, a search for the next event,
/// and an event per renewal. Handlers take the same time for each message.
/// </summary>
internal sealed class NaiveQueue
{
    private readonly NaiveCase _case;
    private readonly List<Message> _messages = [];
    private readonly List<Receiver> _receivers = [];
    private readonly List<Receiver> _turns = [];
    private readonly List<(long At, int Order, Action Do)> _plans = [];
    private readonly List<string> _lines = [];
    private int _planned,
        _lockings;
    private long _now;

    private NaiveQueue(NaiveCase it)
    {
        _case = it;
        for (var i = 0; i < it.MessagesAtStart; i++)
            _messages.Add(new() { Number = i });
        for (var i = 0; i < it.Receivers; i++)
            _receivers.Add(new() { Number = i, Credit = it.Prefetch });
    }

    /// <param name="arrivals">The times at which messages are sent.</param>
    /// <param name="end">The time at which the simulation ends.</param>
    public static List<string> Play(NaiveCase it, IEnumerable<long> arrivals, long end)
    {
        var queue = new NaiveQueue(it);
        queue.Plan(0, queue.Open);
        foreach (var at in arrivals)
            queue.Plan(at, queue.Arrive);
        queue.PlayUntil(end);
        return queue._lines;
    }

    private void PlayUntil(long end)
    {
        while (true)
        {
            var locked = _messages
                .Where(message => message.IsLocked)
                .OrderBy(message => message.LockedUntil)
                .ThenBy(message => message.Locking)
                .FirstOrDefault();
            var plan = _plans
                .OrderBy(it => it.At)
                .ThenBy(it => it.Order)
                .FirstOrDefault((At: long.MaxValue, 0, () => { }));
            if (Math.Min(locked?.LockedUntil ?? long.MaxValue, plan.At) >= end)
                return;
            if (locked is not null && locked.LockedUntil <= plan.At)
                EndLock(locked);
            else
                Do(plan);
        }
    }

    private void Do((long At, int Order, Action Do) plan)
    {
        _plans.Remove(plan);
        _now = plan.At;
        plan.Do();
    }

    private void Plan(long at, Action what) => _plans.Add((at, _planned++, what));

    private void Record(string what) => _lines.Add($"{_now} {what}");

    private void Open()
    {
        foreach (var receiver in _receivers)
        {
            for (var i = 0; i < _case.Calls; i++)
                receiver.Idle.Add(receiver.Number * _case.Calls + i);
            TakeTurn(receiver);
        }

        HandOut();
    }

    private void Arrive()
    {
        _messages.Add(new() { Number = _messages.Count });
        HandOut();
    }

    private void EndLock(Message message)
    {
        _now = message.LockedUntil;
        Record($"lock of message {message.Number} ends");
        Fail(message);
        HandOut();
    }

    private void Fail(Message message)
    {
        message.IsLocked = false;
        message.Failures++;
        message.IsGone = message.Failures >= _case.MaxDeliveryCount;
    }

    private int CreditOf(Receiver receiver) => _case.Prefetch > 0 ? receiver.Credit : receiver.Idle.Count;

    private void TakeTurn(Receiver receiver)
    {
        if (CreditOf(receiver) > 0 && !_turns.Contains(receiver))
            _turns.Add(receiver);
    }

    private void HandOut()
    {
        while (_messages.Find(message => !message.IsLocked && !message.IsGone) is { } message && _turns.Count > 0)
        {
            var receiver = _turns[0];
            _turns.RemoveAt(0);
            message.IsLocked = true;
            message.LockedUntil = _now + _case.Lock;
            message.Locking = _lockings++;
            receiver.Credit--;
            Record($"message {message.Number} to receiver {receiver.Number}");
            receiver.Buffer.Add((message, message.Locking));
            Work(receiver);
            TakeTurn(receiver);
        }
    }

    /// <summary>Starts idle handlers with buffered messages.</summary>
    private void Work(Receiver receiver)
    {
        while (receiver.Idle.Count > 0 && receiver.Buffer.Count > 0)
        {
            var (handler, (message, locking)) = (receiver.Idle[0], receiver.Buffer[0]);
            receiver.Idle.RemoveAt(0);
            receiver.Buffer.RemoveAt(0);
            Begin(receiver, handler, message, locking);
        }
    }

    private void Begin(Receiver receiver, int handler, Message message, int locking)
    {
        Record($"handler {handler} begins with message {message.Number}");
        if (_case.Renews && Holds(message, locking))
            PlanRenewal(message, locking);
        Steps(0);

        void Steps(int step)
        {
            if (step < _case.Steps.Count)
                Plan(_now + _case.Steps[step], () => Steps(step + 1));
            else
                Settle(receiver, handler, message, locking, "Complete", isSecond: false);
        }
    }

    private static bool Holds(Message message, int locking) => message.IsLocked && message.Locking == locking;

    private void PlanRenewal(Message message, int locking)
    {
        var left = message.LockedUntil - _now;
        var wait = left < 4_000_000 ? 0 : left - Math.Min(left / 2, 100_000_000);
        Plan(_now + wait, () =>
        {
            if (!Holds(message, locking))
                return;
            message.LockedUntil = _now + _case.Lock;
            PlanRenewal(message, locking);
        });
    }

    private void Settle(Receiver receiver, int handler, Message message, int locking, string settlement, bool isSecond)
    {
        var accepted = Holds(message, locking);
        Record($"{settlement} of message {message.Number}: {(accepted ? "accepted" : "lock lost")}");
        if (accepted)
            (message.IsLocked, message.IsGone) = (false, true);
        var triesAgain = !accepted && _case.DeadLetters && !isSecond;
        Plan(_now + _case.Answer, () => Answered(receiver, handler, message, locking, triesAgain, isSecond));
    }

    private void Answered(Receiver receiver, int handler, Message message, int locking, bool triesAgain, bool isSecond)
    {
        if (!isSecond && _case.Prefetch > 0 && ++receiver.Settled == Math.Clamp(_case.Prefetch * 2 / 3, 1, 100))
        {
            receiver.Credit += receiver.Settled;
            receiver.Settled = 0;
            TakeTurn(receiver);
            HandOut();
        }

        if (triesAgain)
        {
            Settle(receiver, handler, message, locking, "DeadLetter", isSecond: true);
            return;
        }

        receiver.Idle.Add(handler);
        Work(receiver);
        TakeTurn(receiver);
        HandOut();
    }

    private sealed class Message
    {
        public required int Number { get; init; }

        public bool IsLocked { get; set; }

        /// <summary><c>true</c> if the message was completed or dead-lettered.</summary>
        public bool IsGone { get; set; }

        public long LockedUntil { get; set; }

        /// <summary>The number of its current lock among all locks.</summary>
        public int Locking { get; set; }

        public int Failures { get; set; }
    }

    private sealed class Receiver
    {
        public required int Number { get; init; }

        public int Credit { get; set; }

        public int Settled { get; set; }

        public List<int> Idle { get; } = [];

        public List<(Message Message, int Locking)> Buffer { get; } = [];
    }
}

/// <summary>The parameters of a case. Times are in ticks.</summary>
/// <param name="Steps">The waits of a handler before it settles.</param>
/// <param name="Answer">The time from a settlement to the broker's response.</param>
internal sealed record NaiveCase(
    int Receivers,
    int Calls,
    int Prefetch,
    long Lock,
    int MaxDeliveryCount,
    bool Renews,
    bool DeadLetters,
    int MessagesAtStart,
    IReadOnlyList<long> Steps,
    long Answer
);
