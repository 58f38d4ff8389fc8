namespace DroneDelivery.Lab.Predict;

/// <summary>A cost in words, and as an object for scripts.</summary>
internal static class CostText
{
    /// <summary><c>1,053 USD</c>.</summary>
    public static string Of(Cost cost) => $"{Amount(cost.PerMonth)} {cost.Currency}";

    /// <summary>A whole amount: no price is known better.</summary>
    public static string Amount(double amount) => NumberText.Of(Math.Round(amount));

    /// <summary><c>nodes 511, cluster 73, …</c></summary>
    public static string Parts(Cost cost) =>
        string.Join(", ", cost.Lines.Select(line => $"{line.Part} {Amount(line.PerMonth)}"));

    /// <summary>How far a cost can be relied on.</summary>
    public static string Footnote(PriceFile prices, double rate) =>
        $"An estimate, if {NumberText.Of(rate)}/s come in all month. Prices: loadtest/prices/{prices.Name}.json, "
        + $"{prices.Date:yyyy-MM-dd}, {prices.Region}. {prices.Note} Not in it: {string.Join(", ", prices.LeftOut)}.";

    /// <summary>What is infinite is null.</summary>
    public static object Json(Cost cost, PriceFile prices) =>
        new
        {
            perMonth = Math.Round(cost.PerMonth),
            cost.Currency,
            prices = prices.Name,
            prices.Date,
            isEstimate = true,
            lines = cost.Lines.Select(line => new
            {
                line.Part,
                line.What,
                perMonth = Math.Round(line.PerMonth),
            }),
        };
}
