using System.Text.Json;

namespace DroneDelivery.Gateway.Schemas;

/// <summary>Numbers are compared as the services read them, as doubles: what is too large for one is infinite.</summary>
internal sealed class NumberRules
{
    public double? Least { get; init; }

    public double? Most { get; init; }

    public double? Above { get; init; }

    public double? Below { get; init; }

    /// <summary>Of a whole number; 0: it may have a fraction. A reader of whole numbers refuses 1.0, so it is refused here.</summary>
    public int Bits { get; init; }

    public Mistake? Check(ref Utf8JsonReader reader)
    {
        if (Bits == 64 && !reader.TryGetInt64(out _) || Bits == 32 && !reader.TryGetInt32(out _))
            return Mistake.Of("Must be a whole number.");
        var isThere = reader.TryGetDouble(out var value);
        return isThere && !(value < Least) && !(value > Most) && !(value <= Above) && !(value >= Below)
            ? null
            : Mistake.Of($"Must be {string.Join(" and ", Bounds())}.");
    }

    private IEnumerable<string> Bounds()
    {
        if (Least is { } least)
            yield return FormattableString.Invariant($"at least {least}");
        if (Above is { } above)
            yield return FormattableString.Invariant($"more than {above}");
        if (Most is { } most)
            yield return FormattableString.Invariant($"at most {most}");
        if (Below is { } below)
            yield return FormattableString.Invariant($"less than {below}");
    }
}
