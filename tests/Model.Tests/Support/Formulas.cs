namespace DroneDelivery.Model.Tests.Support;

/// <summary>Of the textbook.</summary>
internal static class Formulas
{
    /// <summary>Probability that all servers are busy.</summary>
    public static double ErlangC(int servers, double offered)
    {
        var (term, sum) = (1.0, 0.0);
        for (var i = 0; i < servers; i++)
        {
            sum += term;
            term *= offered / (i + 1);
        }

        var all = term * servers / (servers - offered);
        return all / (sum + all);
    }
}
