using System.Collections.Concurrent;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>
/// Answers of the newest uploads, by the id that their sender gave them: an upload whose answer was lost is sent again, gets the same
/// answer, and counts once.
/// </summary>
internal sealed class RecentUploads
{
    public const string Header = "X-Upload-Id";

    /// <summary>A sender repeats an upload for a minute; a hundred processes send one a second each.</summary>
    private const int Most = 6_000;

    private const int LongestId = 64;

    private readonly ConcurrentDictionary<string, Lazy<IngestResult>> _answers = [];
    private readonly ConcurrentQueue<string> _order = [];

    /// <param name="id">Empty: the sender gives none, and each of its uploads counts.</param>
    /// <param name="ingest">Of an upload that has not come before.</param>
    public IngestResult AnswerTo(string id, Func<IngestResult> ingest)
    {
        if (id.Length is 0 or > LongestId)
            return ingest();
        var first = new Lazy<IngestResult>(ingest);
        var answer = _answers.GetOrAdd(id, first);
        if (answer == first)
            Remember(id);
        return answer.Value; // of one that is still being read, when it has been
    }

    private void Remember(string id)
    {
        _order.Enqueue(id);
        if (_order.Count > Most && _order.TryDequeue(out var oldest))
            _answers.TryRemove(oldest, out _);
    }
}
