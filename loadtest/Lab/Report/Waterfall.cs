namespace DroneDelivery.Lab.Report;

/// <summary>Writes a transaction as a waterfall: a line for each step, which opens to what is known of it.</summary>
internal static class Waterfall
{
    private const int Deepest = 8;

    public static Html Render(Transaction transaction, string id)
    {
        var time = new BusyTime(transaction.Steps);
        return Html.Of($"""
            <ol class="waterfall" id="{id}" aria-label="Steps of the transaction">
            {transaction.Steps.Select(step => Line(step, time))}</ol>
            <p class="scale" aria-hidden="true"><span>0 ms</span><span>{time.Length / 2:0} ms</span><span>{time.Length:0} ms</span></p>
            {LeftOut(time.LeftOut / 1000)}

            """);
    }

    private static Html Line(Step step, BusyTime time) => Html.Of($"""
        <li class="{step.Kind}{(step.Failed ? " failing" : "")}"><details><summary>{What(step)}
        {Track(step, time)}{Took(step)}</summary>
        {Facts(step)}</details></li>

        """);

    private static Html LeftOut(double seconds) => seconds > 0
        ? Html.Of($"<p class=\"says\">{seconds:0.0} s in which the message waits and nothing runs are left out of the picture.</p>")
        : Html.Empty;

    private static Html What(Step step)
    {
        var (indent, result) = (Math.Min(step.Depth, Deepest) * 0.9, Result(step.Result));
        return Html.Of($"<span class=\"what\" style=\"padding-left:{indent}em\"><b>{step.Role}</b> {NameOf(step)}{result}</span>");
    }

    private static Html Track(Step step, BusyTime time)
    {
        var (left, width) = (100 * time.Of(step.Start) / time.Length, 100 * (step.Duration ?? 0) / time.Length);
        return Html.Of($"<span class=\"track\"><span class=\"bar\" style=\"left:{left:0.##}%;width:{width:0.##}%\"></span></span>");
    }

    private static Html Took(Step step) =>
        Html.Of($"<span class=\"took\">{(step.Duration is { } duration ? Html.Of($"{duration:0.0} ms") : Html.Empty)}</span>");

    private static Html Facts(Step step)
    {
        var (name, result, says) = (Detail("name", step.Name), Detail("result", step.Result), Detail("says", step.Message));
        return Html.Of($"<dl><dt>kind</dt><dd>{step.Kind}</dd>{name}<dt>begins after</dt><dd>{step.Start:0.0} ms</dd>{result}{says}</dl>");
    }

    /// <summary>Without the type of the call and the namespace of the exception: a line has little room, and opens to the rest.</summary>
    private static string NameOf(Step step) => step.Kind switch
    {
        "trace" => step.Message,
        "exception" => step.Name.Split('.')[^1],
        _ => step.Name.Split(": ")[^1],
    };

    private static Html Result(string code) => code.Length == 0 ? Html.Empty : Html.Of($" <span class=\"result\">{code}</span>");

    private static Html Detail(string name, string text) => text.Length == 0 ? Html.Empty : Html.Of($"<dt>{name}</dt><dd>{text}</dd>");
}
