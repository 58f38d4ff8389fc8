namespace DroneDelivery.Lab.Stages;

/// <summary>A set of settings. Others have the service's default.</summary>
internal sealed class KnobSet
{
    /// <summary>The length of the instructions in the deliveries that <c>redis.deliveriesThatFit</c> counts.</summary>
    public const int CountedInstructions = 17_000;

    /// <summary>
    /// The measured size of both keys of such a delivery and its entry in its owner's month. Redis rounds its JSON (about 18,000 bytes) up
    /// to 20 KiB.
    /// </summary>
    public const double BytesPerDelivery = 21_035;

    private readonly SortedDictionary<string, KnobValue> _values = new(StringComparer.Ordinal);

    private KnobSet(IEnumerable<KeyValuePair<string, KnobValue>> values)
    {
        foreach (var (name, value) in values)
            _values[name] = value;
    }

    public static KnobSet Empty { get; } = new([]);

    public static KnobSet Of(IEnumerable<(Knob Knob, KnobValue Value)> values) =>
        new(values.Select(set => KeyValuePair.Create(set.Knob.Name, set.Value)));

    public static KnobSet Parse(IEnumerable<string> pairs) =>
        Of(
            pairs.Select(pair =>
            {
                var at = pair.IndexOf('=', StringComparison.Ordinal);
                if (at <= 0)
                {
                    throw new BadInputException(
                        $"{pair}: expected KNOB=VALUE, for example workflow.maxConcurrentCalls=20."
                    );
                }

                var knob = KnobTable.Find(pair[..at].Trim());
                return (knob, knob.Parse(pair[(at + 1)..].Trim()));
            })
        );

    public IEnumerable<(Knob Knob, KnobValue Value)> All =>
        _values.Select(pair => (KnobTable.Find(pair.Key), pair.Value));

    public bool IsEmpty => _values.Count == 0;

    public KnobValue? this[string name] => _values.GetValueOrDefault(KnobTable.Find(name).Name);

    public double Number(string name, double otherwise) => this[name]?.Number ?? otherwise;

    public double Number(string name) => this[name]?.Number ?? KnobTable.Find(name).Default!.Value;

    public IReadOnlyList<double> Numbers(string name) => this[name]?.Numbers ?? KnobTable.Find(name).DefaultList;

    /// <summary>Returns these settings, overridden by <paramref name="over"/>.</summary>
    public KnobSet With(KnobSet over) => new(_values.Concat(over._values));

    /// <summary>Returns these settings with one replaced value, without checking its range.</summary>
    public KnobSet With(string name, double number) =>
        new(_values.Append(KeyValuePair.Create(KnobTable.Find(name).Name, new KnobValue([number]))));

    public KnobSet Shorten(double k) => Of(All.Select(set => (set.Knob, set.Knob.Shorten(set.Value, k))));

    public IEnumerable<KeyValuePair<string, string>> SettingsFor(string process) =>
        All.Where(set => set.Knob.Process == process).SelectMany(set => set.Knob.Settings(set.Value));

    /// <summary>Rejects settings that can't be combined.</summary>
    public KnobSet Consistent(double k = 1)
    {
        RequireSize();
        if (
            this["workflow.prefetchCount"] is { } typed
            && this["workflow.maxConcurrentCalls"] is { } calls
            && Shorten(k).Number("workflow.prefetchCount", 0) is > 0 and var prefetch
            && prefetch < calls.Number
        )
        {
            var shortened = k == 1 ? "" : $", shortened by k = {k} to {prefetch},";
            throw new BadInputException(
                $"workflow.prefetchCount={typed.Number}{shortened} is less than workflow.maxConcurrentCalls={calls.Number}: "
                    + $"handlers would wait for messages. Set the prefetch to 0 or to at least {calls.Number * k}."
            );
        }

        return this;
    }

    private void RequireSize()
    {
        if (
            this["redis.deliveriesThatFit"] is { Number: > 0 } fit
            && Number("load.instructions", 0) is not CountedInstructions and var instructions
        )
        {
            throw new BadInputException(
                $"redis.deliveriesThatFit={fit.Number} counts deliveries with {CountedInstructions} characters of "
                    + $"instructions, but load.instructions={instructions} changes their size. "
                    + $"Set load.instructions={CountedInstructions}, or redis.deliveriesThatFit=0 and the limit in bytes: "
                    + "redis.maxMemory."
            );
        }
    }
}
