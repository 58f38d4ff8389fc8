namespace DroneDelivery.Lab.Stages;

/// <summary>The format of a setting's value: a list of numbers in this base unit, or a <see cref="Word"/>.</summary>
internal enum KnobUnit
{
    Count,

    /// <summary>Seconds: a number, or with a unit (<c>7.5</c>, <c>500ms</c>, <c>5m</c>).</summary>
    Seconds,

    /// <summary>Durations separated by commas; can be empty.</summary>
    SecondsList,

    Ratio,

    /// <summary>Bytes: a number, or with a Redis unit (<c>2mb</c>, <c>512kb</c>).</summary>
    Bytes,

    Word,
}
