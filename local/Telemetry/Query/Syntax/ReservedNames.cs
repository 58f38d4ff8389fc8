namespace DroneDelivery.Telemetry.Query;

/// <summary>Words that Azure's parser rejects as names of columns or let statements, at least in some places.
/// tests/kusto compares them with that parser.</summary>
internal static class ReservedNames
{
    private static readonly HashSet<string> Words =
    [
        .. """
            __contextual_datatable __crossCluster __crossDB __executeAndCache __id __isFuzzy __noWithSource __packedColumn
            __projectAway __sourceColumnIndex accumulate and anomalychart areachart as asc bagexpansion barchart between bin_legacy
            boolean by byte cachingpolicy callout cancel card char columnchart contains contains_cs containscs cycles dataexport
            datascope datatable date datetime decimal decodeblocks desc double dynamic earliest encodingpolicy endswith endswith_cs
            expandoutput extent_tags_retention external_data externaldata find first flags float force_remote harddelete
            hardretention has has_all has_any has_cs hasprefix hasprefix_cs hassuffix hassuffix_cs hotcache in int int16 int32 int64
            int8 invoke isfuzzy journal kind ladderchart last latest like likecs linechart long materialize mdm missing
            nooptimization notcontains notcontainscs notlike notlikecs of or others pathformat piechart pivotchart print project
            queries query_results real relaxed restricted_view_access row_level_security rowstore rowstore_references
            rowstore_sealinfo rowstorepolicy rowstores sample scatterchart seal seals search set shards simple softdelete
            softretention sql stackedareachart startswith startswith_cs statistics storedqueryresultcontainers string tablepurge
            time timechart timeline timepivot timespan title to toscalar totable treemap uint uint16 uint32 uint64 uint8 ulong union
            uniqueid unrestrictedviewers verbose viewers views where with_itemindex with_match_id with_source with_step_name
            withsource writeaheadlog
            """.Split((char[])[' ', '\n', '\r'], StringSplitOptions.RemoveEmptyEntries),
    ];

    public static Token Refuse(Token name, TokenStream tokens) =>
        name.Kind == TokenKind.Word && Words.Contains(name.Text)
            ? throw tokens.Error(
                name.At,
                $"'{name.Text}' is a reserved word and cannot be a name.",
                $"Write ['{name.Text}']."
            )
            : name;
}
