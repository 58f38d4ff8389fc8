using DroneDelivery.Lab.Knobs;

namespace DroneDelivery.Lab.Commands;

/// <summary>The table of knobs, below the help of a verb that turns them.</summary>
internal static class KnobHelp
{
    public static void Write(TextWriter output)
    {
        output.WriteLine("Knobs (* divided by k in a shortened run):");
        foreach (var knob in KnobTable.All.Where(knob => !knob.IsHidden))
            output.WriteLine($"  {knob.Name + (knob.Scales ? " *" : ""),-40} {knob.Meaning}; {knob.Expectation["expected ".Length..]}");
        output.WriteLine();
    }
}
