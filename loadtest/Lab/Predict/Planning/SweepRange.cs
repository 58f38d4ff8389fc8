using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>A knob and the values that a sweep gives it, of the full length, in ascending order.</summary>
internal sealed record SweepRange(Knob Knob, IReadOnlyList<double> Values)
{
    public const int MostOfOne = 200,
        MostOfTwo = 40;

    private const int StepsOfOne = 20,
        StepsOfTwo = 8;
    private const string Form = "expected KNOB=A..B or KNOB=A..B:STEP, for example workflow.prefetchCount=0..3000:100";

    /// <summary>Reads <c>KNOB=A..B[:STEP]</c>, once or twice with a comma between.</summary>
    public static IReadOnlyList<SweepRange> ReadAll(string text)
    {
        var parts = text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        if (parts.Length is 0 or > 2)
            throw new BadInputException($"--sweep {text}: give one knob for a curve, or two for a heat map; {Form}.");
        SweepRange[] ranges = [.. parts.Select(part => ReadOne(part, parts.Length == 1))];
        return ranges is [var one, var other] && one.Knob == other.Knob
            ? throw new BadInputException($"--sweep {text}: {one.Knob.Name} is there twice.")
            : ranges;
    }

    private static SweepRange ReadOne(string text, bool isAlone)
    {
        var (name, rest) = Cut(text, "=", text);
        var knob = KnobTable.Find(name.Trim());
        if (knob.Unit is KnobUnit.Word or KnobUnit.SecondsList)
        {
            throw new BadInputException(
                $"--sweep {text}: {knob.Name} is no number, so nothing lies between two of its values."
            );
        }

        var (from, end) = Cut(rest, "..", text);
        var (to, step) = end.Contains(':', StringComparison.Ordinal) ? Cut(end, ":", text) : (end, "");
        var (first, last) = (knob.Parse(from.Trim()).Number, knob.Parse(to.Trim()).Number);
        if (first >= last)
            throw new BadInputException($"--sweep {text}: the first value has to be below the last.");
        var width =
            step.Length > 0
                ? StepOf(knob, step, text)
                : Round(knob, (last - first) / (isAlone ? StepsOfOne : StepsOfTwo));
        var count = (int)Math.Min(int.MaxValue, Math.Floor((last - first) / width + 1e-9)) + 1;
        var most = isAlone ? MostOfOne : MostOfTwo;
        if (count > most)
        {
            throw new BadInputException(
                $"--sweep {text}: {count} values are too many, at most {most}; take a larger step."
            );
        }

        return new(knob, [.. Enumerable.Range(0, count).Select(i => first + i * width).Append(last).Distinct()]);
    }

    private static double StepOf(Knob knob, string text, string whole) =>
        KnobText.Read(knob, text.Trim()) is { Number: > 0 } step
            ? step.Number
            : throw new BadInputException(
                $"--sweep {whole}: the step has to be {KnobText.Describe(knob.Unit)} above 0."
            );

    /// <summary>A whole number where the knob is one.</summary>
    private static double Round(Knob knob, double width) =>
        knob.Unit is KnobUnit.Count or KnobUnit.Bytes ? Math.Ceiling(width) : width;

    private static (string Before, string After) Cut(string text, string at, string whole)
    {
        var parts = text.Split(at, 2);
        return parts.Length == 2 && parts[0].Length > 0 && parts[1].Length > 0
            ? (parts[0], parts[1])
            : throw new BadInputException($"--sweep {whole}: {Form}.");
    }
}
