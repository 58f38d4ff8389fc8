namespace DroneDelivery;

/// <summary>The active mutant. <c>build/mutants</c> compiles this file into its copy of the tree.</summary>
internal static class Mutants
{
    private static readonly int Wanted = int.Parse(Environment.GetEnvironmentVariable("MUTANT") ?? "0");
    private static readonly string Mark = Environment.GetEnvironmentVariable("MUTANT_MARK") ?? "";
    private static bool isMarked;

    public static bool On(int number)
    {
        if (number != Wanted)
            return false;
        // Another thread or process may write the file concurrently.
        if (!isMarked)
            new FileStream(Mark, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite).Dispose();
        return isMarked = true;
    }
}
