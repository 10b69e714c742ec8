/**
 * Country | code | name | on departure or arrival | euro cents abroad | euro cents at home | passenger types (A, C, I).
 *
 * Codes and names are those that tickets print; amounts are of the right size and no authority's real ones.
 */
export const TAX_TABLE = `
AE|F6|Passenger facilities charge|departure|990|990|AC
AE|ZR|Advanced passenger information fee|departure|120|0|ACI
AE|TP|Passenger security and safety service fee|departure|130|0|ACI
AT|AT|Passenger service charge|departure|1810|1810|AC
AT|QD|Air transport levy|departure|1200|3000|ACI
AT|ZY|Security charge|departure|880|880|AC
AU|AU|Passenger movement charge|departure|4250|0|A
AU|WY|Passenger services charge|departure|2240|1130|ACI
BE|BE|Passenger service charge|departure|2190|2190|AC
BE|BF|Security charge|departure|970|970|AC
BR|BR|Embarkation charge|departure|3120|780|AC
CA|CA|Air travellers security charge|departure|1580|620|AC
CA|SQ|Airport improvement fee|departure|2220|2220|AC
CH|CH|Passenger and security charge|departure|3360|3360|AC
CN|CN|Airport construction fee|departure|1110|620|A
DE|RA|Passenger service charge|departure|2480|2480|AC
DE|OY|Air transport tax|departure|1553|1553|AC
DE|DE|Security charge|departure|1000|1000|ACI
DK|ZO|Passenger service charge|departure|1610|1610|AC
ES|JD|Passenger departure charge|departure|1598|1002|AC
ES|QV|Aviation security charge|departure|363|363|AC
ES|OG|Aviation safety charge|departure|62|62|AC
FR|QX|Passenger service charge|departure|1790|1130|AC
FR|FR|Airport tax|departure|1220|1220|ACI
FR|O4|Solidarity and civil aviation tax|departure|1440|740|AC
GB|GB|Air passenger duty|departure|1730|800|A
GB|UB|Passenger service charge|departure|3850|2280|AC
HK|HK|Air passenger departure tax|departure|1330|0|A
HK|G3|Airport construction fee|departure|1000|0|AC
HK|I5|Passenger security charge|departure|600|0|ACI
IE|IE|Passenger service charge|departure|1190|1190|AC
IN|IN|User development fee|departure|1210|480|AC
IN|P2|Aviation security fee|departure|1040|230|AC
IN|K3|Goods and services tax|departure|650|420|AC
IT|IT|Embarkation tax|departure|1480|1230|AC
IT|HB|Council city tax|departure|750|750|ACI
IT|VT|Security charge|departure|340|340|ACI
IT|EX|Security bag charge|departure|110|110|AC
JP|SW|Passenger service facilities charge|departure|1580|250|AC
JP|OI|Passenger security service charge|departure|380|140|AC
JP|TK|International tourist tax|departure|560|0|AC
KR|BP|Passenger service charge|departure|1700|240|AC
KW|KW|Passenger service charge|departure|840|0|ACI
KW|N4|Airport development fee|arrival|560|0|ACI
NL|RN|Passenger service charge|departure|1630|1630|AC
NL|CJ|Security charge|departure|1320|1320|AC
NL|VV|Air passenger tax|departure|2971|2971|AC
NP|NP|Passenger service charge|departure|1020|210|AC
NP|B7|Tourism service fee|departure|310|0|AC
NZ|NZ|Passenger services charge|departure|1170|560|AC
NZ|IA|Border clearance levy|departure|820|0|AC
NZ|F1|Border clearance levy on arrival|arrival|930|0|AC
PL|XW|Passenger service charge|departure|1420|1420|AC
PL|ND|Security charge|departure|590|590|AC
PT|YP|Passenger service charge|departure|1240|780|AC
PT|PT|Security charge|departure|430|430|AC
PT|J9|Carbon tax|departure|200|200|A
SG|SG|Passenger service charge|departure|3310|0|AC
SG|OP|Aviation levy|departure|560|0|AC
SG|OO|Security service charge|departure|760|0|AC
TH|TS|Passenger service charge|departure|2000|350|AC
TR|TR|International passenger service charge|departure|1700|160|AC
TR|M6|Security charge|departure|260|260|AC
US|US|Transportation tax|departure|1930|0|ACI
US|US|Transportation tax|arrival|1930|0|ACI
US|ZP|Flight segment tax|departure|0|450|ACI
US|AY|Civil aviation security service fee|departure|480|480|ACI
US|XF|Passenger facility charge|departure|390|390|ACI
US|YC|Customs user fee|arrival|630|0|ACI
US|XY|Immigration user fee|arrival|600|0|ACI
US|XA|Animal and plant health inspection fee|arrival|330|0|ACI
ZA|ZA|Passenger service charge|departure|1720|610|AC
ZA|WC|Passenger security charge|departure|230|150|AC
`;
