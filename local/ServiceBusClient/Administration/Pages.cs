namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>A list that the broker hands out in pages of <paramref name="pageSize"/>, from a number of entries to skip.</summary>
internal sealed class Pages<T>(
    Func<int, CancellationToken, Task<(IReadOnlyList<T> Values, Response Response)>> load,
    int pageSize,
    CancellationToken cancellationToken) : AsyncPageable<T>(cancellationToken)
    where T : notnull
{
    public override async IAsyncEnumerable<Page<T>> AsPages(string? continuationToken = null, int? pageSizeHint = null)
    {
        var skip = continuationToken is null ? 0 : int.Parse(continuationToken, System.Globalization.CultureInfo.InvariantCulture);
        while (true)
        {
            var (values, response) = await load(skip, CancellationToken);
            skip += values.Count;
            var more = values.Count == pageSize;
            yield return Page<T>.FromValues(values, more ? $"{skip}" : null, response);
            if (!more)
                yield break;
        }
    }
}
