using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A subscription of a topic: a queue that gets the messages that match one of its rules.</summary>
internal sealed class Subscription
{
    public const int MaxRules = 2000;

    private readonly Lock _changing = new();
    private Rule[] _rules;

    internal Subscription(Topic topic, Queue queue)
    {
        QueueOptions.TrySplit(queue.Name, out _, out var name);
        Name = name;
        Topic = topic;
        Queue = queue;
        _rules = [.. (queue.Options.Rules ?? []).Select(rule => new Rule(rule))];
    }

    public string Name { get; }

    public Topic Topic { get; }

    public Queue Queue { get; }

    public IReadOnlyList<RuleDescription> Rules => [.. Volatile.Read(ref _rules).Select(rule => rule.Description)];

    public RuleDescription AddRule(RuleDescription description, DateTimeOffset now)
    {
        var added = new Rule(description with { CreatedAt = now });
        lock (_changing)
        {
            if (_rules.Any(rule => IsCalled(rule, description.Name)))
            {
                throw new EntityException(
                    EntityFailure.AlreadyExists,
                    $"Rule '{description.Name}' of {Queue.Name} already exists."
                );
            }

            if (_rules.Length >= MaxRules)
            {
                throw new EntityException(
                    EntityFailure.QuotaExceeded,
                    $"A subscription can have at most {MaxRules} rules."
                );
            }

            Use([.. _rules, added]);
        }
        return added.Description;
    }

    public RuleDescription UpdateRule(RuleDescription description)
    {
        lock (_changing)
        {
            var former = Find(description.Name);
            var changed = new Rule(
                description with
                {
                    Name = former.Description.Name,
                    CreatedAt = former.Description.CreatedAt,
                }
            );
            Use([.. _rules.Select(rule => rule == former ? changed : rule)]);
            return changed.Description;
        }
    }

    public void RemoveRule(string name)
    {
        lock (_changing)
            Use([.. _rules.Except([Find(name)])]);
    }

    internal void ReplaceRules(IReadOnlyList<RuleDescription> descriptions)
    {
        lock (_changing)
        {
            Use([
                .. descriptions.Select(rule => new Rule(
                    rule with
                    {
                        CreatedAt = FindRule(rule.Name)?.Description.CreatedAt ?? Queue.Now,
                    }
                )),
            ]);
        }
    }

    public RuleDescription GetRule(string name) => Find(name).Description;

    internal void Update(QueueOptions options)
    {
        lock (_changing)
            Queue.Update(options with { Rules = Queue.Options.Rules });
    }

    /// <summary>Applies the rules to a message of the topic.</summary>
    /// <param name="readAgain">Decodes the message again, for an action that changes it.</param>
    internal Share ShareOf(Lazy<IRuleMessage> read, Func<IRuleMessage> readAgain, long mostBytes)
    {
        var share = new Share(this);
        foreach (var rule in Volatile.Read(ref _rules))
        {
            try
            {
                if (rule.NeedsMessage ? !rule.Matches(read.Value) : !rule.IsTrue)
                    continue;
                // All matching rules without an action together deliver the message once; each matching rule with an
                // action delivers its own copy.
                share = rule.HasAction
                    ? share.With(Apply(rule, readAgain(), mostBytes))
                    : share with
                    {
                        IsPlain = true,
                    };
            }
            catch (FilterException failure)
            {
                share = share with { Error = $"Rule '{rule.Description.Name}': {failure.Message}" };
            }
            catch (Exception defect)
            {
                // An internal error affects only this rule and message.
                Queue.Report($"rule '{rule.Description.Name}'", defect);
                share = share with
                {
                    Error =
                        $"Rule '{rule.Description.Name}' failed because of an internal error. See the broker's log.",
                };
            }
        }
        return share;
    }

    private static MessageContent Apply(Rule rule, IRuleMessage message, long mostBytes)
    {
        var copy = rule.Apply(message);
        return copy.WireSize <= mostBytes
            ? copy
            : throw new FilterException($"The changed message would exceed {mostBytes} bytes.");
    }

    internal readonly record struct Share(Subscription To)
    {
        public bool IsPlain { get; init; }

        private IReadOnlyList<MessageContent>? Copies { get; init; }

        /// <summary>The reason why a rule couldn't be applied; <c>null</c> if all could.</summary>
        public string? Error { get; init; }

        public Share With(MessageContent copy) => this with { Copies = [.. Copies ?? [], copy] };

        /// <summary>Adds the messages to the subscription. They're delivered with the next <see
        /// cref="Queue.Dispatch"/>.</summary>
        public void Deliver(QueuedMessage message)
        {
            if (IsPlain)
                To.Queue.TakeOver(message, message.Content);
            foreach (var copy in Copies ?? [])
                To.Queue.TakeOver(message, copy);
            if (
                Error is not null
                && !IsPlain
                && Copies is null
                && To.Queue.Options.DeadLetteringOnFilterEvaluationExceptions
            )
            {
                To.Queue.TakeOverDead(message, DeadLetterReason.FilterFailed, Error);
            }
        }
    }

    private Rule? FindRule(string name) => Volatile.Read(ref _rules).FirstOrDefault(rule => IsCalled(rule, name));

    private Rule Find(string name) =>
        FindRule(name) ?? throw EntityException.NotFound($"{Topic.Name}|{Name}|{Excerpt.Of(name)}");

    private static bool IsCalled(Rule rule, string name) =>
        rule.Description.Name.Equals(name, StringComparison.OrdinalIgnoreCase);

    private void Use(Rule[] rules)
    {
        Queue.Update(Queue.Options with { Rules = [.. rules.Select(rule => rule.Description)] });
        Volatile.Write(ref _rules, rules);
    }
}
