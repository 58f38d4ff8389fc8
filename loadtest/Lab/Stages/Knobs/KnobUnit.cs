namespace DroneDelivery.Lab.Stages;

/// <summary>
/// How a knob's value is written. A value is a list of numbers in the base unit named here, except for <see cref="Word"/>.
/// </summary>
internal enum KnobUnit
{
    Count,

    /// <summary>Seconds. Written as a number, or with a unit: <c>7.5</c>, <c>500ms</c>, <c>5m</c>.</summary>
    Seconds,

    /// <summary>Any number of durations with commas between; the empty text is an empty list.</summary>
    SecondsList,

    Ratio,

    /// <summary>Bytes. Written as a number, or with a unit of Redis: <c>2mb</c>, <c>512kb</c>.</summary>
    Bytes,

    Word,
}
