using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A queue behind a topic: it gets the messages that one of its rules lets through.</summary>
internal sealed class Subscription
{
    /// <summary>As many as a subscription may have.</summary>
    public const int MostRules = 2000;

    private readonly Lock _changing = new();
    private Rule[] _rules;

    /// <param name="queue">Its options have the rules.</param>
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

    /// <summary>In the order in which they were added.</summary>
    public IReadOnlyList<RuleDescription> Rules => [.. Volatile.Read(ref _rules).Select(rule => rule.Description)];

    /// <exception cref="EntityException">AlreadyExists, InvalidOption, QuotaExceeded or NotFound (the subscription).</exception>
    public RuleDescription AddRule(RuleDescription description, DateTimeOffset now)
    {
        var added = new Rule(description with { CreatedAt = now });
        lock (_changing)
        {
            if (_rules.Any(rule => IsCalled(rule, description.Name)))
            {
                throw new EntityException(
                    EntityFailure.AlreadyExists,
                    $"Rule '{description.Name}' of {Queue.Name} exists already."
                );
            }

            if (_rules.Length >= MostRules)
            {
                throw new EntityException(
                    EntityFailure.QuotaExceeded,
                    $"A subscription has at most {MostRules} rules."
                );
            }

            Use([.. _rules, added]);
        }
        return added.Description;
    }

    /// <exception cref="EntityException">NotFound, InvalidOption.</exception>
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

    /// <exception cref="EntityException">NotFound.</exception>
    public void RemoveRule(string name)
    {
        lock (_changing)
            Use([.. _rules.Except([Find(name)])]);
    }

    /// <exception cref="EntityException">InvalidOption.</exception>
    internal void ReplaceRules(IReadOnlyList<RuleDescription> descriptions)
    {
        lock (_changing)
        {
            Use([
                .. descriptions.Select(rule => new Rule(
                    rule with
                    {
                        CreatedAt = Former(rule.Name)?.Description.CreatedAt ?? Queue.Now,
                    }
                )),
            ]);
        }
    }

    /// <exception cref="EntityException">NotFound.</exception>
    public RuleDescription GetRule(string name) => Find(name).Description;

    /// <summary>Changes all but the rules.</summary>
    internal void Update(QueueOptions options)
    {
        lock (_changing)
            Queue.Update(options with { Rules = Queue.Options.Rules });
    }

    /// <summary>What the rules make of a message of the topic.</summary>
    /// <param name="read">The message for rules that look at it.</param>
    /// <param name="readAnew">The same for an action, which changes it.</param>
    /// <param name="mostBytes">Of a copy.</param>
    internal Share ShareOf(Lazy<IRuleMessage> read, Func<IRuleMessage> readAnew, long mostBytes)
    {
        var share = new Share(this);
        foreach (var rule in Volatile.Read(ref _rules))
        {
            try
            {
                if (rule.NeedsMessage ? !rule.Matches(read.Value) : !rule.IsTrue)
                    continue;
                // Rules without an action let it through once together; each with an action lets through a copy of its own.
                share = rule.HasAction ? share.With(Apply(rule, readAnew(), mostBytes)) : share with { IsPlain = true };
            }
            catch (FilterException failure)
            {
                share = share with { Error = $"Rule '{rule.Description.Name}': {failure.Message}" };
            }
            catch (Exception defect)
            {
                // Of the broker, and still of this rule and this message alone.
                Queue.Report($"rule '{rule.Description.Name}'", defect);
                share = share with
                {
                    Error = $"Rule '{rule.Description.Name}' failed in the broker, whose log has the cause.",
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
            : throw new FilterException($"The message would have more than {mostBytes} bytes.");
    }

    /// <summary>What a subscription gets of one message.</summary>
    internal readonly record struct Share(Subscription To)
    {
        /// <summary>Whether it gets the message as it is.</summary>
        public bool IsPlain { get; init; }

        /// <summary>What actions have made of it.</summary>
        private IReadOnlyList<MessageContent>? Copies { get; init; }

        /// <summary>Why a rule could not be applied; null: all could.</summary>
        public string? Error { get; init; }

        public Share With(MessageContent copy) => this with { Copies = [.. Copies ?? [], copy] };

        /// <summary>Receivers get it with the next <see cref="Queue.Dispatch"/>.</summary>
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

    private Rule? Former(string name) => Volatile.Read(ref _rules).FirstOrDefault(rule => IsCalled(rule, name));

    private Rule Find(string name) =>
        Former(name) ?? throw EntityException.NotFound($"{Topic.Name}|{Name}|{Excerpt.Of(name)}");

    private static bool IsCalled(Rule rule, string name) =>
        rule.Description.Name.Equals(name, StringComparison.OrdinalIgnoreCase);

    private void Use(Rule[] rules)
    {
        Queue.Update(Queue.Options with { Rules = [.. rules.Select(rule => rule.Description)] });
        Volatile.Write(ref _rules, rules);
    }
}
